"use strict";
// What the page is made of: elements, tables, reasons. doctor.js follows, in the same script.
//
// Everything in the report comes from the system (names, paths, texts of others): it is written as text nodes and
// attributes, never as markup.
const report = JSON.parse(document.getElementById("data").textContent);
const filtered = {libraries: [], reasons: [], operators: []};  // [element, what the filter looks at]

// As the loader's own text: control characters, and those that turn the writing direction, as the bytes they are.
function printable(text) {
  const odd = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
  const escaped = (byte) => "\\x" + byte.toString(16).padStart(2, "0");
  return String(text).replace(odd, (letter) => Array.from(new TextEncoder().encode(letter), escaped).join(""));
}

// An element with attributes and children: elements, texts, or lists of these.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat(Infinity).map((child) => (child instanceof Node ? child : printable(child))));
  return element;
}

// A name that may be broken after "_", "/" and the like, and between aWord and Another.
function breakable(name) {
  const parts = name.split(/(?<=[_/:-])(?=[^_/:-])|(?<=[a-z])(?=[A-Z])/);
  return parts.flatMap((part, index) => (index ? [make("wbr", {}), part] : [part]));
}

const heading = (id, text) => make("h2", {id}, text);
const column = (text, title) => make("th", title ? {scope: "col", title} : {scope: "col"}, text);
const code = (text) => make("code", {}, text);
const quiet = (...children) => make("div", {class: "quiet small"}, children);
const list = (items) => make("ul", {class: "plain"}, items.map((item) => make("li", {}, item)));
const pairs = (rows) => make("dl", {}, rows.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

// A sign for the eye, and words for the ear.
function sign(kind, words) {
  const signs = {good: "✓", bad: "✕", mild: "–", none: "·"};
  const heard = words ? make("span", {class: "aside"}, words + " ") : [];
  return [make("span", {class: "sign", "aria-hidden": "true"}, signs[kind]), heard];
}

// A table that scrolls by itself where the page is narrow, and one row more for where
// there is none or the filter leaves none.
function table(id, head, rows) {
  const words = rows.length ? "None matches the filter." : "None was found.";
  const empty = make("tr", {class: "empty"}, make("td", {colspan: head.length, class: "quiet"}, words));
  empty.hidden = rows.length > 0;
  return make("div", {class: "scroll", role: "region", tabindex: "0", "aria-labelledby": id},
    make("table", {"aria-labelledby": id}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows, empty)));
}

// Reasons: what is known of a code, and what a reason says --------------------------------------------------------

const codes = new Map();
for (const check of report.checks) {
  for (const entry of check.codes) codes.set(entry.code, {...entry, family: check.family});
}
const known = (token) => codes.get(token) || {meaning: "", harmless: false, family: ""};

function facts({subject, expected, found, hint}) {
  const rows = [["about", subject], ["expected", expected], ["found", found], ["what to do", hint]];
  return rows.filter(([, value]) => value);
}

function sentence(reason) {
  const said = facts(reason).map(([name, value]) => `${name}: ${value}`);
  return printable([`${reason.code}: ${known(reason.code).meaning}`, ...said].join("; "));
}

function reasonEntry(reason) {
  const {family, meaning} = known(reason.code);
  const rows = facts(reason).map(([name, value]) => [name, name === "what to do" ? value : code(value)]);
  return make("div", {class: "reason"},
    make("p", {}, make("code", {class: "token"}, reason.code), " ", make("span", {class: "quiet small"}, family)),
    make("p", {}, meaning), pairs(rows));
}

// A library for another torch misses hundreds of symbols: five of a code are shown, the others on request.
function reasonEntries(reasons) {
  const counts = new Map(), shown = [], more = [];
  for (const reason of reasons) {
    counts.set(reason.code, (counts.get(reason.code) || 0) + 1);
    (counts.get(reason.code) <= 5 ? shown : more).push(reasonEntry(reason));
  }
  return [shown, more.length ? make("details", {}, make("summary", {}, `${more.length} more`), more) : []];
}
