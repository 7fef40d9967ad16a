// What makes a page of plain tables and panels handy: sorting, folding, tabs, links to errors, light and dark.

let browser = null;
let counter = 0;

// ---- tables

function sortKey(row, column) {
  const cell = row.cells[column];
  const value = cell?.dataset.value;
  if (value !== undefined) return Number(value);
  const text = cell?.textContent.trim() ?? "";
  return text && cell.classList.contains("number") ? Number(text.replaceAll(",", "")) : text;
}

function compareKeys(a, b, sign) {
  const [blankA, blankB] = [a === "" || Number.isNaN(a), b === "" || Number.isNaN(b)];
  if (blankA || blankB) return blankA - blankB; // what is not there comes last, whichever way the order goes
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}

function makeSortable(table) {
  const heads = [...[...table.tHead.rows].at(-1).cells]; // a line above them names groups of columns
  const body = table.tBodies[0];
  if (body.rows.length < 2) return;
  heads.forEach((head, column) => {
    const button = make("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const first = head.classList.contains("number") ? "descending" : "ascending";
      const other = first === "descending" ? "ascending" : "descending";
      const direction = before === first ? other : first;
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction);
      const keyed = [...body.rows].map((row, k) => ({ row, k, key: sortKey(row, column) }));
      keyed.sort((a, b) => compareKeys(a.key, b.key, direction === "ascending" ? 1 : -1) || a.k - b.k);
      body.append(...keyed.map(({ row }) => row));
      fold(table);
    });
  });
}

function fold(table) {
  const after = table.dataset.after === undefined ? Infinity : Number(table.dataset.after);
  [...table.tBodies[0].rows].forEach((row, k) => row.toggleAttribute("hidden", k >= after));
}

function makeFoldable(table) {
  const count = table.tBodies[0].rows.length;
  const after = Number(table.dataset.after);
  if (table.dataset.after === undefined || count <= after) return;
  const button = make("button", { type: "button", class: "quiet fold", "aria-expanded": "false" });
  const say = () => {
    const open = table.dataset.after === undefined;
    button.textContent = open ? `Show only ${after.toLocaleString("en")}` : `Show all ${count.toLocaleString("en")}`;
    button.setAttribute("aria-expanded", String(open));
    fold(table);
  };
  button.addEventListener("click", () => {
    if (table.dataset.after === undefined) table.dataset.after = after;
    else delete table.dataset.after;
    say();
  });
  table.closest(".scroll").after(button);
  say();
}

// ---- cells that lead to errors

function makeLinks() {
  if (!document.querySelector(".errors")) return;
  for (const cell of document.querySelectorAll("[data-filters]")) {
    const button = make("button", { type: "button", class: "link", title: "Show these errors" }, ...cell.childNodes);
    const heat = cell.closest(".heatmap");
    if (heat) {
      const row = cell.parentElement.cells[0].textContent;
      const column = heat.tHead.rows[1].cells[cell.cellIndex].textContent.trim();
      button.setAttribute("aria-label", `${button.textContent}: gold ${row}, predicted ${column}`);
      button.title = `${cell.title}. Show these errors`;
      cell.removeAttribute("title");
    }
    button.addEventListener("click", () => {
      const filters = new Map(Object.entries(JSON.parse(cell.dataset.filters)));
      needBrowser()?.ask(filters);
    });
    cell.append(button);
  }
  for (const table of document.querySelectorAll(".heatmap")) roam(table);
}

/** One stop for the tab key per heat map; arrow keys go from cell to cell. */
function roam(table) {
  const buttons = [...table.querySelectorAll("button")];
  buttons.forEach((button, k) => (button.tabIndex = k ? -1 : 0));
  const steps = new Map([["ArrowRight", [0, 1]], ["ArrowLeft", [0, -1]], ["ArrowDown", [1, 0]], ["ArrowUp", [-1, 0]]]);
  table.addEventListener("keydown", (event) => {
    const step = steps.get(event.key);
    const cell = event.target.closest("td");
    if (!step || !cell) return;
    event.preventDefault();
    const rows = [...table.rows];
    let [row, column] = [rows.indexOf(cell.parentElement), cell.cellIndex];
    for (;;) {
      [row, column] = [row + step[0], column + step[1]];
      const next = rows[row]?.cells[column];
      if (!next) return;
      const button = next.querySelector("button");
      if (!button) continue;
      for (const one of buttons) one.tabIndex = -1;
      button.tabIndex = 0;
      button.focus();
      return;
    }
  });
}

// ---- tabs

function makeTabs(group) {
  const panels = [...group.children].filter((child) => child.matches(".panel"));
  const list = make("div", { class: "tab-list", role: "tablist", "aria-label": group.dataset.label });
  const tabs = panels.map((panel) => {
    const id = `tab-${++counter}`;
    const heading = panel.firstElementChild;
    heading.classList.add("tab-heading");
    const tab = make("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel` }, isolated(heading.textContent));
    for (const [name, value] of [["id", `${id}-panel`], ["role", "tabpanel"], ["aria-labelledby", id], ["tabindex", "0"]]) panel.setAttribute(name, value);
    return tab;
  });
  const choose = (chosen) => {
    tabs.forEach((tab, k) => {
      tab.setAttribute("aria-selected", String(k === chosen));
      tab.tabIndex = k === chosen ? 0 : -1;
      panels[k].hidden = k !== chosen;
    });
    settleScrolls();
  };
  // Groups that offer the same choice, such as the systems, change together.
  const names = [group.dataset.label, ...tabs.map((tab) => tab.textContent)];
  group.kind = JSON.stringify(names);
  group.choose = choose;
  const chooseAll = (chosen) => {
    const before = group.getBoundingClientRect().top;
    for (const other of document.querySelectorAll(".tabs")) if (other.kind === group.kind) other.choose(chosen);
    scrollBy({ top: group.getBoundingClientRect().top - before, behavior: "instant" }); // what was clicked stays in its place
  };
  tabs.forEach((tab, k) => tab.addEventListener("click", () => chooseAll(k)));
  list.addEventListener("keydown", (event) => {
    const now = tabs.indexOf(document.activeElement);
    const to = new Map([["ArrowRight", now + 1], ["ArrowLeft", now - 1], ["Home", 0], ["End", tabs.length - 1]]).get(event.key);
    if (to === undefined || now < 0) return;
    event.preventDefault();
    const chosen = (to + tabs.length) % tabs.length;
    chooseAll(chosen);
    tabs[chosen].focus({ preventScroll: true });
  });
  list.append(...tabs);
  group.prepend(list);
  group.show = (panel) => choose(panels.indexOf(panel));
  if (tabs.length) choose(0);
}

/** Open the panels that an element lies in. */
function reveal(element) {
  for (let panel = element.closest(".panel"); panel; panel = panel.parentElement.closest(".panel")) panel.parentElement.show?.(panel);
}

// ---- light and dark, regions that scroll

function makeSchemeButton() {
  const dark = () => (document.documentElement.dataset.scheme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = make("button", { type: "button", class: "quiet scheme" });
  const say = () => (button.textContent = dark() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    document.documentElement.dataset.scheme = dark() ? "light" : "dark";
    say();
  });
  button.setAttribute("aria-label", "Switch between light and dark");
  say();
  document.querySelector("header.top").append(button);
}

/** Only a region that really scrolls is a stop for the tab key, and shades the sides where more is hidden. */
function settleScroll(region) {
  const room = region.scrollWidth - region.clientWidth;
  if (room > 1) region.tabIndex = 0;
  else region.removeAttribute("tabindex");
  region.classList.toggle("more-before", region.scrollLeft > 1);
  region.classList.toggle("more-after", region.scrollLeft < room - 1);
}

function settleScrolls() {
  document.querySelectorAll(".scroll").forEach(settleScroll);
}

/** Mark in the table of contents which section is being read. */
function followSections() {
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const heads = [...document.querySelectorAll("main h2")];
  const follow = () => {
    const now = heads.filter((head) => head.getBoundingClientRect().top < innerHeight / 3).pop() ?? heads[0];
    for (const [id, link] of links) {
      if (id === now?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", follow, { passive: true });
  follow();
}

// ---- the errors, read when the page stands

function needBrowser() {
  if (browser) return browser;
  const place = document.querySelector(".errors");
  const source = document.querySelector("script.error-data");
  if (!place || !source) return null;
  const data = JSON.parse(source.textContent);
  source.remove(); // the text is not needed twice
  place.querySelector(".plain-errors").remove();
  browser = new Browser(place, data);
  return browser;
}

function followAddress() {
  if (!location.hash.startsWith(PREFIX)) return;
  const made = needBrowser();
  if (!made?.readAddress()) return;
  reveal(made.root);
  made.root.scrollIntoView();
}

function prepareErrors() {
  addEventListener("hashchange", followAddress);
  addEventListener("popstate", (event) => {
    if (event.state?.unfiltered) browser?.change(browser.blank(), { silent: true });
    else followAddress();
  });
  if (location.hash.startsWith(PREFIX)) followAddress();
  else setTimeout(() => (window.requestIdleCallback ?? setTimeout)(() => needBrowser()), 50);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const made = needBrowser();
    if (!made) return;
    event.preventDefault();
    reveal(made.root);
    made.search.focus();
  });
}

for (const table of document.querySelectorAll("table.data")) {
  makeSortable(table);
  makeFoldable(table);
}
for (const group of document.querySelectorAll(".tabs")) makeTabs(group);
makeLinks();
makeSchemeButton();
settleScrolls();
followSections();
addEventListener("resize", settleScrolls);
for (const region of document.querySelectorAll(".scroll")) {
  region.addEventListener("scroll", () => settleScroll(region), { passive: true });
}
for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", settleScrolls);
if (document.readyState === "complete") prepareErrors();
else addEventListener("load", prepareErrors);
