// Fills the page from the report: machine and torch, the libraries and the checks, the reasons, the operators, folders
// and environment; then the filter over them. Its means are in parts.js.

// Files -----------------------------------------------------------------------------------------------------------

const files = report.files.map((file, index) => {
  const order = report.order.indexOf(file.path) + 1;
  const state = order ? "planned" : file.verdict;
  const kind = order ? "good" : file.verdict === "rejected" && !file.harmless ? "bad" : "mild";
  const slash = file.path.lastIndexOf("/") + 1;
  const tokens = file.reasons.map((reason) => reason.code);
  const keys = file.manifest ? file.manifest.keys : [];
  const words = [file.path, file.name, state, file.verdict, tokens, keys].flat().join("\n");
  return {...file, order, state, kind, tokens, words, id: `file-${index + 1}`, base: file.path.slice(slash),
    folder: file.path.slice(0, slash)};
});
const mark = (file) => make("span", {class: `mark ${file.kind}`}, file.state);
const byPath = new Map(files.map((file) => [file.path, file]));

// Could the checks say anything of this file? Some need its bytes, some its manifest; the set is asked last.
function isAsked(file, family) {
  const unread = ["not-a-library", "truncated", "damaged", "unreadable", "too-large", "wrong-architecture"];
  if (family === "set") return file.order > 0;
  if (["identity", "trust", "request"].includes(family)) return true;
  if (file.tokens.some((token) => unread.includes(token))) return false;
  if (family === "dependencies") return file.loads === true;  // of one that does not, they may not have been looked up
  return file.manifest !== null || !["torch", "cuda"].includes(family);
}

function checkCell(file, family) {
  const reasons = file.reasons.filter((reason) => known(reason.code).family === family);
  if (!reasons.length) {
    const [kind, words] = isAsked(file, family) ? ["good", "nothing against it"] : ["none", "could not be asked"];
    return make("td", {class: kind}, sign(kind, words));
  }
  const kind = file.harmless || reasons.every((reason) => known(reason.code).harmless) ? "mild" : "bad";
  const tokens = [...new Set(reasons.map((reason) => reason.code))];
  const links = tokens.map((token) => make("div", {}, make("a", {href: `#${file.id}`}, breakable(token))));
  const title = reasons.slice(0, 5).map(sentence).join("\n");
  return make("td", {class: kind, title}, sign(kind, kind === "bad" ? "a fault:" : "left out:"), links);
}

function libraryRow(file, families) {
  const {version, level} = file.manifest || {version: "", level: ""};
  const row = make("tr", {},
    make("th", {scope: "row"}, make("div", {class: "file"}, breakable(file.base)), quiet(code(breakable(file.folder)))),
    make("td", {class: "number"}, file.order || ""),
    make("td", {}, mark(file), make("div", {class: "quiet small whole"}, [version, level].join(" "))),
    families.map((family) => checkCell(file, family)));
  filtered.libraries.push([row, file.words]);
  return row;
}

function libraries() {
  const rare = ["request", "load"];  // of which most files have nothing to tell
  const occurs = (family) => files.some((file) => file.tokens.some((token) => known(token).family === family));
  const checks = report.checks.filter(({family}) => !rare.includes(family) || occurs(family));
  const head = ["Library", "Order", "Verdict"].map((text) => column(text));
  const rows = files.map((file) => libraryRow(file, checks.map((check) => check.family)));
  const legend = [["good", "nothing against it"], ["bad", "a fault; below is more"],
    ["mild", "left out, as on a healthy machine"], ["none", "could not be asked of this file"]];
  return make("section", {"aria-labelledby": "libraries"}, heading("libraries", "Libraries and checks"),
    table("libraries", [head, checks.map((check) => column(check.family, check.question))].flat(), rows),
    make("ul", {class: "plain legend small quiet"},
      legend.map(([kind, words]) => make("li", {}, sign(kind), " ", words)),
      checks.map((check) => make("li", {}, make("strong", {}, check.family), " ", check.question))));
}

function reasons() {
  const told = files.filter((file) => file.reasons.length || file.notes.length);
  const ordered = ["bad", "mild", "good"].flatMap((kind) => told.filter((file) => file.kind === kind));
  const entries = ordered.map((file) => {
    const notes = make("div", {class: "reason"}, make("p", {class: "quiet small"}, "notes, which stop nothing"),
      list(file.notes));
    const entry = make("article", {id: file.id, class: `${file.kind}-edge`},
      make("h3", {}, make("bdi", {}, file.base), " ", mark(file)), quiet(code(file.path)),
      reasonEntries(file.reasons), file.notes.length ? notes : []);
    filtered.reasons.push([entry, file.words]);
    return entry;
  });
  return make("section", {"aria-labelledby": "reasons"}, heading("reasons", "Reasons"),
    make("div", {class: "entries"}, entries.length ? entries : "Nothing speaks against any library."));
}

// Operators -------------------------------------------------------------------------------------------------------

// "cpu" of "myops_cpu", for an operator of myops.
function shortName(library, op) {
  const prefix = op.split("::")[0] + "_";
  return library.startsWith(prefix) && library.length > prefix.length ? library.slice(prefix.length) : library;
}

function kernelCell(cell, op) {
  if (!cell) return make("td", {class: "none"}, sign("none", "no kernel"));
  const file = byPath.get(cell.path);
  const kind = cell.planned ? "good" : file && file.kind === "bad" ? "bad" : "mild";
  const why = cell.planned || !file ? [] : quiet(file.tokens.length ? breakable(file.tokens[0]) : file.state);
  const title = printable([cell.path, cell.level].filter(Boolean).join(", "));
  return make("td", {class: kind, title}, sign(kind, cell.planned ? "" : "not loaded:"), "\u00a0",
    breakable(shortName(cell.library, op)), why);
}

function operatorRow(op, row, keys) {
  const cells = [row.defined_by, ...keys.map((key) => Object.hasOwn(row.kernels, key) ? row.kernels[key] : null)];
  const providers = cells.filter(Boolean).map((cell) => [cell.library, (byPath.get(cell.path) || {words: ""}).words]);
  const element = make("tr", {}, make("th", {scope: "row"}, make("div", {class: "file"}, breakable(op)),
    quiet(code(row.schema ? row.schema.slice(row.schema.indexOf("(")) : "nobody defines it"))),
    cells.map((cell) => kernelCell(cell, op)));
  filtered.operators.push([element, [op, Object.keys(row.kernels), providers].flat(2).join("\n")]);
  return element;
}

function operators() {
  const {operators: rows, fallbacks} = report.table;
  const keys = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row.kernels)))].sort();
  const head = [column("Operator"), column("defined by"), ...keys.map((key) => column(breakable(key)))];
  const behind = Object.entries(fallbacks).map(([key, cell]) => `${key}: ${cell.library}`);
  return make("section", {"aria-labelledby": "operators"}, heading("operators", "Operators and dispatch keys"),
    make("p", {class: "quiet"}, "What the plan would give, as the libraries' manifests have it: nothing was opened, " +
      "and no dispatcher asked. ", code("myops table"), " loads the libraries and asks it."),
    table("operators", head, Object.entries(rows).map(([op, row]) => operatorRow(op, row, keys))),
    make("p", {class: "quiet small"}, sign("good"), " the library that would provide the kernel; ", sign("bad"),
      " and ", sign("mild"), " one that has it and is left out, with the first reason; ", sign("none"), " no kernel"),
    behind.length ? make("p", {}, "Fallbacks of whole keys: ", behind.join(", ")) : []);
}

// Machine, torch, folders, environment ----------------------------------------------------------------------------

function card(title, ...content) {
  return make("section", {class: "card", "aria-label": title}, make("h2", {}, title), content);
}

function machine() {
  const {host} = report;
  const gpus = host.gpus.map((gpu) => `${gpu.name || "a GPU"}, compute capability ${gpu.capability || "not known"}`);
  return card("Machine", pairs([["CPU", `${host.cpu_name || "not known"}, ${host.arch}`],
    ["level", host.cpu_level || "none"], ["features", make("span", {class: "small"}, host.cpu_features.join(" "))],
    ["GPUs", gpus.length ? list(gpus) : "none"], ["NVIDIA driver", host.driver || "none"],
    ["libc", host.libc || "not known"], ["page size", `${host.page_size} bytes`]]));
}

function torch() {
  const {torch: facts, bridge} = report;
  const bridgeRow = ["bridge", bridge && bridge.code ? sentence(bridge) : code(breakable(bridge || "none"))];
  if (!facts) return card("torch", make("p", {}, "None was found."));
  const built = [facts.cuda && `CUDA ${facts.cuda}`, facts.hip && `ROCm ${facts.hip}`].filter(Boolean).join(", ");
  return card("torch", pairs([["version", facts.version], ["built for", built || "CPU only"],
    ["git", code(facts.git || "not known")], ["C++ ABI", facts.cxx11_abi || "not known"],
    ["folder", code(breakable(facts.lib_dir))],
    ["Python", facts.python ? code(breakable(facts.python)) : "none"], bridgeRow]));
}

function folders() {
  const notes = report.folder_notes.map((note) => ["note: ", sentence(note)]);
  return card("Folders searched, in this order",
    make("ol", {}, report.folders.map((folder) => make("li", {}, code(breakable(folder))))), list(notes));
}

function environment() {
  const rows = Object.entries(report.environment).map(([name, value]) => [code(name), code(breakable(value))]);
  return card("Environment variables that count", rows.length ? pairs(rows) : make("p", {}, "None is set."));
}

// The whole, and the filter ---------------------------------------------------------------------------------------

function summary() {
  const count = (kind) => files.filter((file) => file.kind === kind).length;
  const part = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  const text = [part(files.length, "library was found", "libraries were found"),
    `${count("good")} would be loaded${report.missing.length ? ", were nothing required missing" : ""}`, part(count("bad"), "is refused for a fault", "are refused for a fault"),
    part(count("mild"), "is left out as on a healthy machine", "are left out as on a healthy machine")];
  document.getElementById("summary").append(`myops ${printable(report.version)}: ${text.join(", ")}.`);
  const faults = [...report.missing, report.bridge].filter((reason) => reason && reason.code).map(sentence);
  const tainted = report.tainted ? ["The plan is tainted: a check was passed over on request."] : [];
  const alerts = (kind, texts) => texts.map((words) => make("li", {class: kind}, words));
  document.getElementById("alerts").append(...alerts("alert", faults),
    ...alerts("alert note", [...report.notes, ...tainted]));
}

// Each word must be found, in whatever case.
function apply(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const told = Object.entries(filtered).filter(([, rows]) => rows.length).map(([name, rows]) => {
    for (const [element, known] of rows) element.hidden = !words.every((word) => known.toLowerCase().includes(word));
    const left = rows.filter(([element]) => !element.hidden).length;
    const empty = document.querySelector(`[aria-labelledby="${name}"] .empty`);
    if (empty) empty.hidden = left > 0;
    return name === "reasons" ? "" : `${left} of ${rows.length} ${name}`;
  });
  document.getElementById("matches").textContent = words.length ? told.filter(Boolean).join(", ") : "";
}

const kFragment = "#filter=";

function applyFragment() {
  if (!location.hash.startsWith(kFragment)) return;  // a place on the page
  let text = location.hash.slice(kFragment.length);
  try { text = decodeURIComponent(text); } catch { /* as it stands */ }
  document.getElementById("words").value = text;
  apply(text);
}

function startFilter() {
  const input = document.getElementById("words");
  const address = (text) => kFragment + encodeURIComponent(text);
  const link = (word, kind, text) => make("a", {href: address(word), class: `mark ${kind}`}, text);
  const states = new Map(files.map((file) => [file.state, 0]));
  for (const file of files) states.set(file.state, states.get(file.state) + 1);
  const kinds = {planned: "good", rejected: "bad"};
  document.getElementById("chips").append(link("", "none", "all"),
    ...[...states].map(([state, number]) => link(state, kinds[state] || "mild", `${number} ${state}`)));
  input.addEventListener("input", () => {
    apply(input.value);
    history.replaceState(null, "", address(input.value));
  });
  window.addEventListener("hashchange", applyFragment);
  document.getElementById("filter").hidden = false;
  applyFragment();
}

summary();
document.getElementById("report").append(make("div", {class: "cards"}, machine(), torch()), libraries(), reasons(),
  operators(), make("div", {class: "cards"}, folders(), environment()));
startFilter();
document.getElementById("text").open = false;  // it is there for where this script did not run
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("article details")) details.open = true;
});
