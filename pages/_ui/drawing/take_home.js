// Saves what the page shows: every picture as SVG, PNG and CSV, every table as CSV, and a report
// of one page. All of it happens in the browser; nothing is sent anywhere.
const INK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity",
  "stroke-opacity", "font-size", "font-family", "font-weight", "text-anchor",
  "dominant-baseline", "visibility", "display"];
const SMALLEST = { width: 150, height: 80 };
const LINE = 15;
let told = {};

const main = () => document.querySelector('[data-testid="stMain"]') ?? document.body;
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const HANDOUT = { width: "188mm", height: "272mm", most: 12 }; // what A4 leaves within its margins
const lines = () => [told.notice, ...told.banners, told.settings.map(([k, v]) => `${k}: ${v}`).join("; ")];

const notes = (svg) => [...(svg.note ? [svg.note] : []), ...lines()]; // what the picture says of itself

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function heading(element) {
  const named = element.closest("[aria-label]") ?? element.querySelector("[aria-label]");
  if (named && element.tagName === "svg") return named.getAttribute("aria-label");
  const before = [...main().querySelectorAll("h1, h2, h3, h4, h5, .maptitle, p > strong:first-child")]
    .filter((one) => one.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  return before.length ? before[before.length - 1].innerText : told.title;
}

function things() {
  const seen = (one) => one.checkVisibility?.() ?? true;
  const pictures = [...main().querySelectorAll("svg")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width >= SMALLEST.width && box.height >= SMALLEST.height && seen(one)
      && !one.parentElement.closest("svg") && !one.closest(".take-home");
  });
  const tables = [...main().querySelectorAll("table")]
    .filter((one) => (seen(one) || one.closest(".saved")) && one.rows.length > 1
      && !one.closest(".vega-embed, [data-testid='stDataFrame']"));  // that one holds the rows in sight only
  const maps = [...main().querySelectorAll('[data-testid="stDeckGlJsonChart"] canvas')].filter(seen);
  return { pictures, tables, maps };
}

// A copy that looks the same outside of the page, with the settings written under it.
function picture(svg, notes) {
  const box = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((to, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of INK) {
      const value = style.getPropertyValue(name);
      if (value) to.style.setProperty(name, value);
    }
  });
  copy.querySelectorAll("script, foreignObject").forEach((one) => one.remove());
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  if (!copy.getAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  const ink = getComputedStyle(main()).color;
  const paper = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  const letters = Math.max(20, Math.floor(box.width / 5.6));
  const rows = notes.flatMap((note) => wrapped(note, letters));
  const height = box.height + 8 + LINE * rows.length;
  const words = rows.map((row, i) =>
    `<text x="4" y="${box.height + 14 + LINE * i}" font-size="10" font-family="sans-serif" fill="${ink}">${escaped(row)}</text>`);
  const inner = new XMLSerializer().serializeToString(copy);
  return {
    width: box.width,
    height,
    text: `<svg xmlns="http://www.w3.org/2000/svg" width="${box.width}" height="${height}" viewBox="0 0 ${box.width} ${height}"><rect width="100%" height="100%" fill="${paper}"/>${inner}${words.join("")}</svg>`,
  };
}

function wrapped(text, letters) {
  const rows = [""];
  for (const word of text.split(" ")) {
    if ((rows[rows.length - 1] + " " + word).length > letters) rows.push(word);
    else rows[rows.length - 1] = (rows[rows.length - 1] + " " + word).trim();
  }
  return rows;
}

// A map is drawn by the graphics card: what it shows now, its scale and the settings under it.
async function mapped(canvas, said = true) {
  const box = canvas.getBoundingClientRect();
  const legend = [...main().querySelectorAll(".legend")]
    .find((one) => canvas.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  const words = legend ? [legend.getAttribute("aria-label")] : [];
  const letters = Math.max(20, Math.floor(box.width / 5.6));
  const rows = [...words, ...(said ? lines() : [])].flatMap((note) => wrapped(note, letters));
  const bar = legend ? 14 : 0;
  const made = document.createElement("canvas");
  [made.width, made.height] = [2 * box.width, 2 * (box.height + 12 + bar + LINE * rows.length)];
  const pen = made.getContext("2d");
  pen.scale(2, 2);
  pen.fillStyle = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  pen.fillRect(0, 0, made.width, made.height);
  pen.drawImage(canvas, 0, 0, box.width, box.height);
  if (legend) {
    const stops = getComputedStyle(legend.querySelector(".bar")).backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
    const scale = pen.createLinearGradient(4, 0, box.width - 4, 0);
    stops.forEach((colour, i) => scale.addColorStop(i / Math.max(stops.length - 1, 1), colour));
    pen.fillStyle = scale;
    pen.fillRect(4, box.height + 4, box.width - 8, 8);
  }
  pen.fillStyle = getComputedStyle(main()).color;
  pen.font = "10px sans-serif";
  rows.forEach((row, i) => pen.fillText(row, 4, box.height + 14 + bar + LINE * i));
  return noted(await new Promise((done) => made.toBlob(done, "image/png")));
}

// What a map or a chart shows: hidden texts that follow it.
function keptRows(drawing) {
  const kept = [...main().querySelectorAll(".maprows")]
    .find((one) => drawing.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  return kept ? JSON.parse(kept.textContent) : [];
}

async function png({ text, width, height }) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return noted(blob);
}

// A PNG with the settings also as text that programs read (chunk iTXt, keyword Comment).
async function noted(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const words = new TextEncoder().encode(lines().join("\n"));
  const body = new Uint8Array([...new TextEncoder().encode("iTXtComment"), 0, 0, 0, 0, 0, ...words]);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, crc(body));
  const end = bytes.length - 12; // before the chunk IEND
  return new Blob([bytes.slice(0, end), chunk, bytes.slice(end)], { type: "image/png" });
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return (sum ^ 0xffffffff) >>> 0;
}

// What a picture shows: a chart's hidden texts, what our own pictures say of themselves.
function data(svg) {
  if (svg.rows) return svg.rows;
  if (svg.closest(".vega-embed")) return keptRows(svg);
  const named = [...svg.querySelectorAll("title")].map((one) => [one.textContent]);
  return named.length ? [["what"], ...named] : [];
}

// Rows of equal length: a cell over several columns leaves the others blank.
function cells(table) {
  const rows = [...table.rows].map((row) => [...row.cells].flatMap(
    (cell) => [cell.innerText.trim(), ...Array(cell.colSpan - 1).fill("")]));
  const width = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array(width - row.length).fill("")]);
}

// A number as programs read it: no separators, no typographic minus, no plus; else nothing.
const NUMBER = /^[-+\u2212]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?(e[-+]?\d+)?%?$/;
const numeral = (text) => (NUMBER.test(text) ? text.replace("\u2212", "-").replace(/^\+/, "").replaceAll(",", "") : null);

function csv(rows, notes = lines()) {
  // a spreadsheet must not take a name for a formula; what is a number stays one
  const inert = (text) => numeral(text) ?? (/^[=+@\t\r-]/.test(text) ? `'${text}` : text);
  const cell = (value) => {
    const text = typeof value === "string" ? inert(value) : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const head = notes.map((line) => `# ${line}`);
  return [...head, ...rows.map((row) => row.map(cell).join(","))].join("\r\n") + "\r\n";
}

const text = (content, type) => new Blob([content], { type: `${type};charset=utf-8` });

// A handout of one page: what is set, the verdict, the picture with its legend, the numbers.
async function report() {
  const { pictures, tables, maps } = things();
  const kept = (selector, parts = main().querySelectorAll(selector)) => [...parts]
    .filter((one) => !one.closest(".take-home") && (one.checkVisibility?.() ?? true)).map((one) => one.outerHTML).join("");
  const figure = (inner, words, more) =>
    `<figure class="${more ? "optional" : ""}">${inner}<figcaption>${escaped(words)}</figcaption></figure>`;
  const url = (blob) => new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(blob);
  });
  const seen = await Promise.all(maps.slice(0, 2).map(async (one) => {
    const name = one.closest("[aria-label]")?.getAttribute("aria-label") ?? heading(one);
    return figure(`<img alt="${escaped(name)}" src="${await url(await mapped(one, false))}">`, name, false);
  }));
  const drawn = pictures.slice(0, 4).map((one, i) => figure(picture(one, []).text, heading(one), seen.length + i >= 2));
  const cell = (kind, words) => {
    const value = numeral(words);
    return value === null ? `<${kind}>${escaped(words)}</${kind}>` : `<${kind} class="number"><data value="${value}">${escaped(words)}</data></${kind}>`;
  };
  const listed = tables.slice(0, 2).map((one) => {
    const [head, ...rows] = cells(one);
    const row = (kind, values) => `<tr>${values.map((v) => cell(kind, v)).join("")}</tr>`;
    const left = rows.length - HANDOUT.most;
    return `<section class="optional"><h2>${escaped(heading(one))}</h2><table>${row("th", head)}${rows.slice(0, HANDOUT.most).map((r) => row("td", r)).join("")}</table>${left > 0 ? `<p>${left} more rows are on the page.</p>` : ""}</section>`;
  }).join("");
  const settings = told.settings.map(([k, v]) => `<span><b>${escaped(k)}</b>: ${escaped(v)}</span>`).join("");
  const figures = [...main().querySelectorAll(".card")];
  const numbers = [0, 4, 8].filter((from) => from < figures.length)
    .map((from) => `<div class="cards optional">${kept("", figures.slice(from, from + 4))}</div>`);
  const made = new Date().toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
  const link = escaped(window.location.href);
  return fitted(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(told.title)} – ${escaped(told.notice)}</title>
<style>
@page { size: A4; margin: 11mm; }
* { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { --st-text-color: #1c1c1c; --st-background-color: #fff; font: 10px/1.4 sans-serif; color: #1c1c1c; background: #fff; max-width: ${HANDOUT.width}; margin: 0 auto; }
h1 { font-size: 17px; margin: 0 0 3px; } h2 { font-size: 11px; margin: 6px 0 2px; } p { margin: 2px 0; }
.notice { font-weight: 700; } .made { color: #444; overflow-wrap: anywhere; } a { color: inherit; }
.settings { display: flex; flex-wrap: wrap; gap: 0 12px; border-block: 1px solid #bbb; padding: 3px 0; margin: 4px 0 6px; }
.gauges, .verdicts { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; margin-bottom: 6px; }
.verdict, .gauge { border-left: 4px solid #888; padding: 3px 6px; break-inside: avoid; } ${levels()}
.verdict strong, .verdict small { display: block; } .verdict .of { font-weight: 400; } .verdict .of::before { content: "· "; }
.gauge .name { font-weight: 700; } .gauge .words { font-size: 12px; } .gauge .words b { font-size: 17px; }
.gauge .scale { position: relative; height: 10px; border-radius: 3px; margin: 3px 0 2px; }
.gauge .sign { position: absolute; margin-left: 2px; font: 700 8px/10px sans-serif; color: #fff; text-shadow: 0 0 2px #000, 0 0 2px #000; }
.gauge .needle { position: absolute; top: -3px; bottom: -3px; width: 4px; margin-left: -2px; border-radius: 2px; background: #1c1c1c; outline: 1px solid #fff; }
.gauge .tick { position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -1px; background: #fff; }
.gauge .ends { display: flex; justify-content: space-between; gap: 1em; }
.attack-answer { font-size: 13px; font-weight: 700; margin: 4px 0; }
.attack-dots { display: grid; grid-template-columns: repeat(20, 9px); gap: 3px; } .attack-dots i, .attack-key i { display: inline-block; width: 9px; height: 9px; border-radius: 50%; }
.attack-key { display: flex; flex-wrap: wrap; gap: 0 12px; margin: 3px 0 6px; } .attack-key i { margin-right: 4px; }
i.coin { background: #888; } i.extra { background: #d1495b; } i.allowed { border: 2px solid #2a8fbd; } i.wrong { border: 1px solid #aaa; }
.pictures { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; } figure { margin: 0; break-inside: avoid; } figcaption { color: #444; }
figure svg, figure img { display: block; width: 100%; height: auto; max-height: 78mm; object-fit: contain; }
.pictures:has(> :only-child) { grid-template-columns: 1fr; } .pictures > :only-child > * { max-height: 120mm; }
.key, .outcomes { display: flex; flex-wrap: wrap; align-items: center; gap: 1px 12px; margin: 3px 0 6px; } .key .note { flex-basis: 100%; }
.key .bar { display: inline-flex; align-items: center; gap: 4px; } .key .bar i { width: 90px; height: 7px; border-radius: 3px; }
.mark { display: inline-flex; align-items: center; gap: 4px; } .mark i { width: 16px; border-top: 4px solid currentColor; }
.mark i.lost { border-top: 2px dashed currentColor; } .mark i.phantom { height: 5px; border: 1.5px solid currentColor; } .mark i.inflated { height: 3px; border-top: 0; background: currentColor; outline: 2px dotted currentColor; }
.cards { display: grid; grid-template-columns: repeat(4, 1fr); gap: 4px; margin: 4px 0; } .card { border: 1px solid #ccc; border-radius: 4px; padding: 3px 6px; break-inside: avoid; }
.card .value { font-size: 14px; font-weight: 700; } .card .range { display: block; color: #444; } .card .meaning { display: none; }
section { break-inside: avoid; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; border-bottom: 1px solid #ddd; padding: 1px 4px; } .number { text-align: right; font-variant-numeric: tabular-nums; }
</style></head><body><h1>${escaped(told.title)}</h1>
<p class="notice">${escaped([told.notice, ...told.banners].join(" "))}</p>
<p class="made">Made on ${escaped(made)} · <a href="${link}">${link}</a></p>
<div class="settings">${settings}</div>
${kept(".gauges")}<div class="verdicts">${kept(".verdict:not(.pending)")}</div>${kept(".attack-answer")}${kept(".attack-dots")}${kept(".attack-key")}
<div class="pictures">${seen.join("")}${drawn.join("")}</div>${kept(".stage .key")}${kept(".outcomes")}
${numbers.join("")}${listed}</body></html>`);
}

// The colours of the three steps, as the page has them.
function levels() {
  return ["good", "partly", "noisy"].map((name) => {
    const one = main().querySelector(`.verdict.${name}, .gauge.${name}`);
    return one ? `.${name} { border-color: ${getComputedStyle(one).borderLeftColor}; }` : "";
  }).join(" ");
}

// A frame out of sight with the handout in it.
async function framed(handout, allowed = "") {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", `allow-same-origin ${allowed}`);
  frame.style.cssText = `position:fixed;left:-400mm;border:0;width:${HANDOUT.width};height:${HANDOUT.height}`;
  frame.srcdoc = handout;
  const ready = new Promise((done) => { frame.onload = done; });
  document.body.append(frame);
  await ready;
  return frame;
}

// The handout without what finds no room on its page: the last optional parts go first, as a whole.
async function fitted(handout) {
  const frame = await framed(handout);
  const { documentElement: whole, body } = frame.contentDocument;
  const parts = [...body.querySelectorAll(".optional")];
  while (parts.length && whole.scrollHeight > frame.clientHeight) parts.pop().remove();
  const result = `<!doctype html>${whole.outerHTML}`;
  frame.remove();
  return result;
}

// Prints the handout: the page itself would come out in pieces, without its pictures.
async function printed() {
  document.querySelector("iframe.handout")?.remove();
  const frame = await framed(await report(), "allow-modals");
  Object.assign(frame, { className: "handout", title: "Handout", inert: true });
  frame.contentWindow.addEventListener("afterprint", () => frame.remove());
  frame.contentWindow.focus();
  frame.contentWindow.print();
}

function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

function list(place) {
  const { pictures, tables, maps } = things();
  const rows = [];
  const row = (name, buttons) => {
    const made = document.createElement("li");
    made.append(Object.assign(document.createElement("span"), { textContent: name }), ...buttons);
    rows.push(made);
  };
  pictures.forEach((svg, i) => {
    const name = heading(svg), file = `${slug(told.title)}-${i + 1}-${slug(name)}`;
    const now = () => things().pictures[i] ?? svg; // drawn anew since, perhaps
    row(name, [
      button("PNG", async () => save(`${file}.png`, await png(picture(now(), notes(now()))))),
      button("SVG", () => save(`${file}.svg`, text(picture(now(), notes(now())).text, "image/svg+xml"))),
      ...(data(svg).length ? [button("CSV", () => save(`${file}.csv`, text(csv(data(now()), notes(now())), "text/csv")))] : []),
    ]);
  });
  maps.forEach((canvas, i) => {
    const name = canvas.closest("[aria-label]")?.getAttribute("aria-label") ?? heading(canvas);
    const file = `${slug(told.title)}-map-${i + 1}-${slug(name)}`;
    const now = () => things().maps[i] ?? canvas;
    row(`Map: ${name}`, [
      button("PNG", async () => save(`${file}.png`, await mapped(now()))),
      button("CSV", () => save(`${file}.csv`, text(csv(keptRows(now()), [name, ...lines()]), "text/csv"))),
    ]);
  });
  tables.forEach((table, i) => {
    const name = heading(table);
    const file = `${slug(told.title)}-table-${i + 1}-${slug(name)}`;
    const now = () => things().tables[i] ?? table;
    row(`Table: ${name}`, [button("CSV", () => save(`${file}.csv`, text(csv(cells(now())), "text/csv")))]);
  });
  place.replaceChildren(...rows);
}

export default function ({ data, parentElement }) {
  told = data;
  const place = parentElement.querySelector(".take-home");
  if (place.firstChild) {
    if (place.querySelector("details").open) list(place.querySelector("ul"));
    return;
  }
  const details = document.createElement("details");
  const head = Object.assign(document.createElement("summary"), { textContent: "Take it home" });
  const row = Object.assign(document.createElement("div"), { className: "row" });
  const said = Object.assign(document.createElement("p"), { className: "said" });
  said.setAttribute("role", "status");
  const items = document.createElement("ul");
  row.append(
    button("One-page report (HTML)", async () => save(`${slug(told.title)}-report.html`, text(await report(), "text/html"))),
    button("Print this page", printed),
    button("Copy link", async () => {
      try {
        await navigator.clipboard.writeText(window.location.href);
        said.textContent = `Copied. ${told.link}`;
      } catch {
        said.textContent = `Copy it from the address bar. ${told.link}`;
      }
    }),
  );
  details.append(head, row, said, items);
  details.addEventListener("toggle", () => details.open && list(items));
  place.append(details);
}
