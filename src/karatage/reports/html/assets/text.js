// Texts with spans drawn in them. Everything reaches the page as text: no string is ever read as HTML.

// What cannot be seen, or makes a reader see something else. _printing.py holds the same list.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}]/u;
// After emoji, Arabic and Indic letters a joiner is how the text is written; elsewhere it only hides.
const JOINABLE = /[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\u0900-\u0dff\u2190-\u2bff\ufe0f\u{1f000}-\u{1faff}]/u;
const JOINER = /[\u200c\u200d]/u;
const JOINED = /[\p{M}\u200d\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]/u;
const TONES = 10;
const AROUND = 60;
const LONGEST_CUT = 600;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function symbol(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

function hides(point, before) {
  return HIDDEN.test(point) && !(JOINER.test(point) && JOINABLE.test(before));
}

function visible(text) {
  let before = "";
  let out = "";
  for (const point of text) {
    out += hides(point, before) ? symbol(point) : point;
    before = point;
  }
  return out;
}

/** A name as it can be shown: a blank one visible, a long one cut. */
function named(name, longest = 160) {
  const points = name.length > longest ? [...name] : null;
  const shown = visible(points && points.length > longest ? points.slice(0, longest - 1).join("") + "…" : name);
  return shown.trim() ? shown : "␣".repeat(shown.length) || "(empty)";
}

function isolated(text, attributes = {}) {
  return make("bdi", attributes, text);
}

/** Append running text, with what is hidden in it as small visible symbols. */
function appendText(parent, points) {
  let plain = "";
  const flush = () => {
    if (plain) parent.append(plain);
    plain = "";
  };
  let before = "";
  for (const point of points) {
    const hidden = hides(point, before);
    before = point;
    if (!hidden) {
      plain += point;
      continue;
    }
    flush();
    parent.append(make("span", { class: "hidden-character" }, symbol(point)));
    if (point === "\n") plain += "\n"; // a line break is shown and made
  }
  flush();
}

/** The pieces of the spans that have a place, within the window, the outer ones first. */
function pieces(spans, from, to) {
  const out = [];
  for (const span of spans) {
    for (let k = 0; k < span.places.length; k++) {
      const [start, end] = span.places[k];
      const [a, b] = [Math.max(start, from), Math.min(end, to)];
      if (a > b || (a === b && start !== end)) continue;
      out.push({ span, start: a, end: b, last: k === span.places.length - 1 && b === end, first: k === 0 && a === start });
    }
  }
  return out.sort((x, y) => x.start - y.start || y.end - x.end || x.span.order - y.span.order);
}

/** How many levels of spans lie inside each piece, so that an outer one is drawn higher than what it holds. */
function levels(list) {
  const stack = [];
  let most = 0;
  for (const piece of list) {
    while (stack.length && stack[stack.length - 1].end <= piece.start && stack[stack.length - 1].end < piece.end) stack.pop();
    piece.level = 0;
    stack.push(piece);
    for (let k = stack.length - 2; k >= 0; k--) stack[k].level = Math.max(stack[k].level, stack.length - 1 - k);
    most = Math.max(most, stack[0].level);
  }
  return most;
}

function spanElement(piece, names, continued) {
  const { span } = piece;
  const element = make("span", { class: `span tone-${span.label % TONES}`, style: `--level:${piece.level}` });
  if (span.wrong) element.classList.add("wrong");
  if (continued || !piece.first) element.classList.add("continued");
  if (piece.start === piece.end) element.classList.add("empty");
  element.title = named(names[span.label]);
  return element;
}

/** Fill an element with text and its spans: nested ones nested, crossing ones split, with their label at the end. */
function drawSpans(parent, points, spans, names, from, to) {
  const list = pieces(spans, from, to);
  parent.style.setProperty("--levels", levels(list));
  const open = [{ element: parent, piece: null }];
  let at = from;
  let next = 0;
  const top = () => open[open.length - 1];
  const write = (until) => {
    if (until > at) appendText(top().element, points.slice(at, until));
    at = Math.max(at, until);
  };
  const start = (piece, continued) => {
    const element = spanElement(piece, names, continued);
    top().element.append(element);
    open.push({ element, piece });
  };
  const closeAt = (position) => {
    // A span that ends here may lie under others that go on: those are split, and go on after it.
    let deepest = open.findIndex((entry) => entry.piece && entry.piece.end <= position);
    if (deepest < 0) return;
    const going = [];
    while (open.length > deepest) {
      const { element, piece } = open.pop();
      if (piece.end > position) {
        element.classList.add("goes-on");
        going.push(piece);
      } else if (piece.last) {
        element.append(isolated(named(names[piece.span.label], 40), { class: "tag" }));
      } else element.classList.add("goes-on");
    }
    for (const piece of going.reverse()) start(piece, true);
  };
  while (next < list.length || open.length > 1) {
    const end = open.reduce((least, entry) => (entry.piece ? Math.min(least, entry.piece.end) : least), Infinity);
    const begin = next < list.length ? list[next].start : Infinity;
    if (end <= begin) {
      write(end);
      closeAt(end);
    } else {
      write(begin);
      start(list[next++], false);
    }
  }
  write(to);
}

/** The part of a text that is shown at first: the claims in question with some text around, cut between words. */
function windowAround(points, spans) {
  const places = spans.flatMap((span) => span.places);
  let from = places.length ? Math.min(...places.map((place) => place[0])) - AROUND : 0;
  let to = places.length ? Math.max(...places.map((place) => place[1])) + AROUND : 2 * AROUND;
  to = Math.min(to, Math.max(from, 0) + LONGEST_CUT);
  if (from <= 15) from = 0;
  if (to >= points.length - 15) to = points.length;
  for (let k = 0; from > 0 && k < 15 && !/\s/u.test(points[from - 1]); k++) from--;
  for (let k = 0; to < points.length && k < 15 && !/\s/u.test(points[to]); k++) to++;
  while (from > 0 && JOINED.test(points[from])) from--;
  while (to < points.length && JOINED.test(points[to])) to++;
  return [from, to];
}
