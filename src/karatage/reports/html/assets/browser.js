// The error browser: it filters, searches, orders and pages the errors, and keeps what it shows in the address.

const PER_PAGE = 25;
const FACETS = ["system", "kind", "gold", "pred"];
const FACET_NAMES = { system: "System", kind: "Kind of error", gold: "Gold label", pred: "Predicted label" };
const DEEP = 4;
const NONE = -1;
const ANY = null;
const PREFIX = "#errors?";

/** A span as it came, with its places as pairs; offsets outside the text are brought inside. */
function readSpan(raw, order, length, wrong) {
  const span = { label: raw[0], order, wrong, places: [], value: null };
  if (raw[1] < 0) {
    span.value = raw.length > 3 ? String(raw[3]) : "";
    return span;
  }
  for (let k = 1; k + 1 < raw.length; k += 2) {
    const start = Math.min(Math.max(raw[k], 0), length);
    span.places.push([start, Math.min(Math.max(raw[k + 1], start), length)]);
  }
  return span;
}

class Browser {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.count = data.errors.unit.length;
    this.scored = Boolean(data.errors.score) && data.errors.score.some((score) => score !== null);
    this.names = { system: data.systems, kind: data.details, gold: data.labels, pred: data.labels };
    this.columns = { system: data.errors.system, kind: data.errors.detail, gold: this.labels("gold"), pred: this.labels("pred") };
    this.orders = new Map([["corpus", "As in the data"], ["label", "By label"]]);
    if (this.scored) this.orders.set("sure", "Most confident first").set("unsure", "Least confident first");
    this.state = this.blank();
    this.build();
    this.update();
  }

  blank() {
    return { system: ANY, kind: ANY, gold: ANY, pred: ANY, q: "", order: "corpus", page: 1 };
  }

  labels(side) {
    const { unit, system } = this.data.errors;
    const claims = this.data.units[side];
    return this.data.errors[side].map((index, k) => {
      if (index < 0) return NONE;
      return (side === "gold" ? claims[unit[k]] : claims[system[k]][unit[k]])[index][0];
    });
  }

  // ---- the controls

  build() {
    this.selects = new Map();
    const filters = make("div", { class: "filters" });
    for (const facet of FACETS) {
      if (facet === "system" && this.data.systems.length < 2) continue;
      filters.append(this.control(FACET_NAMES[facet], this.facetSelect(facet)));
    }
    this.orderSelect = make("select", {}, ...[...this.orders].map(([value, text]) => make("option", { value }, text)));
    this.orderSelect.addEventListener("change", () => this.change({ order: this.orderSelect.value }));
    filters.append(this.control("Order", this.orderSelect));
    this.search = make("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "text, entity:… or unit:…" });
    this.search.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.change({ q: this.search.value }), 120);
    });
    filters.append(this.control("Search", this.search));
    this.status = make("p", { class: "status", role: "status", "aria-live": "polite", tabindex: "-1" });
    this.reset = make("button", { type: "button", class: "quiet" }, "Reset");
    this.reset.addEventListener("click", () => {
      this.change(this.blank());
      this.status.focus();
    });
    this.openAll = make("button", { type: "button", class: "quiet" }, "Open all");
    this.openAll.addEventListener("click", () => this.toggleAll());
    this.list = make("ol", { class: "cards" });
    this.pager = make("nav", { class: "pager", "aria-label": "Pages of errors" });
    const bar = make("div", { class: "status-bar" }, this.status, make("span", { class: "buttons" }, this.openAll, this.reset));
    const hint = make("p", { class: "hint" });
    hint.append(make("kbd", {}, "/"), " search · ", make("kbd", {}, "j"), " ", make("kbd", {}, "k"), " next and previous error in the list · ");
    hint.append(make("kbd", {}, "Enter"), " open");
    this.root.append(make("div", { class: "browser" }, filters, bar, this.list, this.pager, hint));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  control(name, field) {
    field.id = `errors-${name.toLowerCase().replaceAll(" ", "-")}`;
    return make("div", { class: "control" }, make("label", { for: field.id }, name), field);
  }

  facetSelect(facet) {
    const select = make("select");
    select.addEventListener("change", () => this.change({ [facet]: select.value === "" ? ANY : Number(select.value) }));
    this.selects.set(facet, select);
    return select;
  }

  fillSelect(facet, counts) {
    const select = this.selects.get(facet);
    if (!select) return;
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const options = [make("option", { value: "" }, `All (${total.toLocaleString("en")})`)];
    const chosen = this.state[facet];
    const codes = new Set(counts.keys());
    if (chosen !== ANY) codes.add(chosen);
    const sorted = [...codes].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a - b);
    for (const code of sorted) {
      const name = code === NONE ? (facet === "gold" ? "(none: spurious)" : "(none: missed)") : named(this.names[facet][code], 48);
      options.push(make("option", { value: code }, `${name} (${(counts.get(code) ?? 0).toLocaleString("en")})`));
    }
    select.replaceChildren(...options);
    select.value = chosen === ANY ? "" : String(chosen);
  }

  // ---- what is shown

  change(part, { push = false, silent = false } = {}) {
    this.state = { ...this.state, page: 1, ...part };
    this.update();
    if (!silent) this.writeAddress(push);
  }

  update() {
    const found = this.find();
    this.found = this.sorted(found.rows);
    for (const facet of FACETS) this.fillSelect(facet, found.counts.get(facet));
    const pages = Math.max(1, Math.ceil(this.found.length / PER_PAGE));
    this.state.page = Math.min(Math.max(1, this.state.page), pages);
    if (this.search.value !== this.state.q) this.search.value = this.state.q;
    this.orderSelect.value = this.state.order;
    this.showStatus();
    this.showCards();
    this.showPager(pages);
  }

  /** One pass over the errors: those that pass all filters, and for each filter what it would find beside the others. */
  find() {
    const rows = [];
    const counts = new Map(FACETS.map((facet) => [facet, new Map()]));
    const hits = this.searched();
    const columns = FACETS.map((facet) => this.columns[facet]);
    const wanted = FACETS.map((facet) => this.state[facet]);
    const tallies = FACETS.map((facet) => counts.get(facet));
    for (let k = 0; k < this.count; k++) {
      if (hits && !hits[k]) continue;
      let failed = -1;
      let failures = 0;
      for (let f = 0; f < FACETS.length; f++) {
        if (wanted[f] !== ANY && columns[f][k] !== wanted[f]) {
          failed = f;
          failures++;
        }
      }
      if (failures === 0) rows.push(k);
      for (let f = 0; f < FACETS.length; f++) {
        if (failures === 0 || (failures === 1 && failed === f)) tallies[f].set(columns[f][k], (tallies[f].get(columns[f][k]) ?? 0) + 1);
      }
    }
    return { rows, counts };
  }

  /** Which errors hold the text that is searched for, in the unit's text or id or in a value of theirs; or belong to unit:id or entity:text. */
  searched() {
    const query = this.state.q.toLowerCase();
    if (!query) return null;
    const { units, errors } = this.data;
    const [, field, sought] = /^(unit|entity):(.*)$/s.exec(this.state.q) ?? [];
    if (field === "unit") return errors.unit.map((unit) => units.id[unit] === sought.trim());
    if (field === "entity") {
      const whole = new Map();
      const points = (unit) => whole.get(unit) ?? whole.set(unit, [...units.text[unit]]).get(unit);
      return errors.unit.map((unit, k) => this.claims(k).some(([, raw]) => this.surface(raw, () => points(unit)) === sought));
    }
    this.lower ??= units.text.map((text, unit) => `${text}\n${units.id[unit]}`.toLowerCase());
    const inUnit = this.lower.map((text) => text.includes(query));
    return errors.unit.map((unit, k) => inUnit[unit] || this.claims(k).some(([, raw]) => raw[1] < 0 && String(raw[3] ?? "").toLowerCase().includes(query)));
  }

  sorted(rows) {
    const { score } = this.data.errors;
    const last = (k) => score[k] === null;
    const name = (k) => this.columns.gold[k] === NONE ? this.columns.pred[k] : this.columns.gold[k];
    const compare = {
      label: (a, b) => name(a) - name(b),
      sure: (a, b) => last(a) - last(b) || score[b] - score[a],
      unsure: (a, b) => last(a) - last(b) || score[a] - score[b],
    };
    return this.state.order === "corpus" ? rows : rows.sort((a, b) => compare[this.state.order](a, b) || a - b);
  }

  showStatus() {
    const { shown, total } = this.data;
    const number = (count) => count.toLocaleString("en");
    const sample = shown < total ? ` (a sample of ${number(total)})` : "";
    const all = this.found.length === this.count;
    this.status.textContent = all
      ? `${number(this.count)} ${this.count === 1 ? "error" : "errors"}${sample}`
      : `${number(this.found.length)} of ${number(this.count)} errors${sample}`;
    this.reset.disabled = Object.entries(this.blank()).every(([key, value]) => key === "page" || this.state[key] === value);
  }

  showCards() {
    const start = (this.state.page - 1) * PER_PAGE;
    const rows = this.found.slice(start, start + PER_PAGE);
    this.split = new Map();
    this.list.replaceChildren(...rows.map((k) => this.card(k)));
    this.list.start = start + 1;
    this.openAll.textContent = "Open all";
    this.openAll.disabled = rows.length === 0;
    if (!rows.length) this.list.append(make("li", { class: "none" }, "No matching errors. Change or reset the filters."));
  }

  showPager(pages) {
    const step = (text, by) => {
      const button = make("button", { type: "button" }, text);
      button.disabled = this.state.page + by < 1 || this.state.page + by > pages;
      button.addEventListener("click", () => {
        this.change({ page: this.state.page + by });
        this.status.focus({ preventScroll: true });
        this.root.scrollIntoView();
      });
      return button;
    };
    const where = make("span", {}, `Page ${this.state.page.toLocaleString("en")} of ${pages.toLocaleString("en")}`);
    this.pager.hidden = pages < 2;
    this.pager.replaceChildren(step("Previous", -1), where, step("Next", 1));
  }

  // ---- one error

  /** The claims of an error: their side and the span as it came. */
  claims(k) {
    const { unit, system, gold, pred } = this.data.errors;
    const { units } = this.data;
    const out = [];
    if (gold[k] >= 0) out.push(["gold", units.gold[unit[k]][gold[k]]]);
    if (pred[k] >= 0) out.push(["predicted", units.pred[system[k]][unit[k]][pred[k]]]);
    return out;
  }

  /** The code points of a unit's text, which is what offsets count; kept while its cards show. */
  points(unit) {
    if (!this.split.has(unit)) this.split.set(unit, [...this.data.units.text[unit]]);
    return this.split.get(unit);
  }

  card(k) {
    const { errors, units, systems, details } = this.data;
    const points = () => this.points(errors.unit[k]);
    const button = make("button", { type: "button", class: "head", "aria-expanded": "false" });
    button.append(make("span", { class: "kind" }, named(details[errors.detail[k]])), this.summary(k, points));
    const where = make("span", { class: "where" }, `${this.data.noun ?? "unit"} `, isolated(named(units.id[errors.unit[k]], 60)));
    if (systems.length > 1) where.append(" · ", isolated(named(systems[errors.system[k]], 40)));
    if (this.scored && errors.score[k] !== null) where.append(` · confidence ${errors.score[k].toFixed(2)}`);
    button.append(where);
    const body = make("div", { class: "body", hidden: true });
    const card = make("li", { class: "card" }, button, body);
    button.addEventListener("click", () => this.open(card, button.getAttribute("aria-expanded") !== "true"));
    card.fill = () => this.fill(body, k, points());
    return card;
  }

  summary(k, points) {
    const out = make("span", { class: "summary" });
    this.claims(k).forEach(([side, raw], index) => {
      if (index) out.append(make("span", { class: "arrow" }, " → "));
      out.append(make("span", { class: "side" }, `${side} `));
      out.append(isolated(named(this.data.labels[raw[0]], 40), { class: `tag tone-${raw[0] % TONES}` }));
      const surface = this.surface(raw, points);
      if (surface) out.append(" “", isolated(named(surface, 80)), "”");
    });
    return out;
  }

  surface(raw, points) {
    if (raw[1] < 0) return String(raw[3] ?? "");
    const all = points();
    const span = readSpan(raw, 0, all.length, false);
    return span.places.map(([start, end]) => all.slice(start, end).join("")).join(" … ");
  }

  open(card, open) {
    const [button, body] = card.children;
    if (open && !body.firstChild) card.fill();
    button.setAttribute("aria-expanded", String(open));
    body.hidden = !open;
  }

  fill(body, k, points, whole = false) {
    const { errors, units, systems } = this.data;
    const unit = errors.unit[k];
    const read = (list, wrong) => (list ?? []).map((raw, order) => readSpan(raw, order, points.length, order === wrong));
    const sides = [{ name: "gold", spans: read(units.gold[unit], errors.gold[k]), gold: true, own: true }];
    systems.forEach((name, s) => {
      const own = s === errors.system[k];
      sides.push({ name, spans: read(units.pred[s]?.[unit], own ? errors.pred[k] : -1), own });
    });
    const about = sides.flatMap((side) => side.spans.filter((span) => span.wrong));
    const [from, to] = whole ? [0, points.length] : windowAround(points, about);
    const lines = make("dl", { class: "lines" });
    for (const side of sides) lines.append(...this.line(side, points, from, to));
    body.replaceChildren(lines);
    if (points.length > to - from || whole) {
      const more = make("button", { type: "button", class: "quiet" }, whole ? "Less text" : "Whole text");
      more.addEventListener("click", () => {
        this.fill(body, k, points, !whole);
        body.querySelector("button").focus();
      });
      body.append(more);
    }
    const facts = Object.entries(units.attributes ?? {}).map(([name, column]) => `${named(name)}: ${named(String(column[unit] ?? ""))}`);
    if (facts.length) body.append(make("p", { class: "facts" }, isolated(facts.join(" · "))));
  }

  line(side, points, from, to) {
    const term = make("dt", { class: side.own ? "own" : "" }, isolated(named(side.name, 60)));
    const text = make("div", { class: "text", dir: "auto" });
    if (from > 0) text.append(make("span", { class: "cut" }, "… "));
    const running = make("span");
    drawSpans(running, points, side.spans, this.data.labels, from, to);
    const levels = running.style.getPropertyValue("--levels");
    text.style.setProperty("--levels", levels);
    text.classList.toggle("deep", Number(levels) > DEEP);
    text.append(running);
    if (to < points.length) text.append(make("span", { class: "cut" }, " …"));
    const detail = make("dd", {}, points.length ? text : null);
    const chips = side.spans.filter((span) => span.value !== null);
    if (chips.length) detail.append(this.chips(chips));
    if (!points.length && !chips.length) detail.append(make("span", { class: "cut" }, "nothing"));
    return [term, detail];
  }

  chips(spans) {
    return make("ul", { class: "chips" }, ...spans.map((span) => make(
      "li", { class: `chip tone-${span.label % TONES}${span.wrong ? " wrong" : ""}` },
      isolated(named(this.data.labels[span.label], 60), { class: "tag" }), " ", isolated(named(span.value)),
    )));
  }

  // ---- keys

  heads() {
    return [...this.list.querySelectorAll(".head")];
  }

  toggleAll() {
    const open = this.openAll.textContent === "Open all";
    for (const head of this.heads()) this.open(head.parentElement, open);
    this.openAll.textContent = open ? "Close all" : "Open all";
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    const onHead = event.target.matches(".head");
    const by = event.key === "j" || (onHead && event.key === "ArrowDown") ? 1 : event.key === "k" || (onHead && event.key === "ArrowUp") ? -1 : 0;
    const heads = this.heads();
    if (!by || !heads.length) return;
    event.preventDefault();
    const now = heads.findIndex((head) => head.parentElement.contains(document.activeElement));
    heads[now < 0 ? (by > 0 ? 0 : heads.length - 1) : Math.min(Math.max(now + by, 0), heads.length - 1)].focus();
  }

  // ---- the address

  /** Show what a cell of a table stands for. */
  ask(filters) {
    const part = this.blank();
    for (const [key, name] of filters) {
      if (key === "q") part.q = String(name ?? "");
      else if (FACETS.includes(key)) part[key] = name === null ? NONE : this.names[key].indexOf(name);
      // A name that no error here has must find nothing, not everything.
      if (FACETS.includes(key) && name !== null && part[key] < 0) part[key] = this.names[key].length;
    }
    this.change(part, { push: true });
    reveal(this.root);
    this.root.scrollIntoView();
    this.status.focus({ preventScroll: true });
  }

  writeAddress(push) {
    const query = new URLSearchParams();
    for (const facet of FACETS) {
      const code = this.state[facet];
      if (code === NONE) query.append("without", facet);
      else if (code !== ANY && code < this.names[facet].length) query.append(facet, this.names[facet][code]);
    }
    if (this.state.q) query.append("q", this.state.q);
    if (this.state.order !== "corpus") query.append("order", this.state.order);
    if (this.state.page > 1) query.append("page", this.state.page);
    try {
      // Going back from a view that a click on the page chose undoes the choice.
      if (push && !location.hash.startsWith(PREFIX)) history.replaceState({ unfiltered: true }, "");
      const chosen = query.toString();
      history[push ? "pushState" : "replaceState"](null, "", chosen ? `${PREFIX}${chosen}` : "#errors");
    } catch {
      // A page inside another may not touch the address; the view is right without it.
    }
  }

  /** Show what the address asks for; what it does not know is left out. */
  readAddress() {
    if (!location.hash.startsWith(PREFIX)) return false;
    const query = new URLSearchParams(location.hash.slice(PREFIX.length));
    const state = this.blank();
    for (const facet of FACETS) {
      const code = query.has(facet) ? this.names[facet].indexOf(query.get(facet)) : -1;
      if (code >= 0) state[facet] = code;
      else if (query.getAll("without").includes(facet) && (facet === "gold" || facet === "pred")) state[facet] = NONE;
    }
    state.q = (query.get("q") ?? "").slice(0, 1000);
    if (this.orders.has(query.get("order"))) state.order = query.get("order");
    if (/^[1-9][0-9]{0,6}$/.test(query.get("page") ?? "")) state.page = Number(query.get("page"));
    this.change(state, { silent: true });
    return true;
  }
}
