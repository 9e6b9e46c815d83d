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
async function mapped(canvas) {
  const box = canvas.getBoundingClientRect();
  const legend = [...main().querySelectorAll(".legend")]
    .find((one) => canvas.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  const words = legend ? [legend.getAttribute("aria-label")] : [];
  const letters = Math.max(20, Math.floor(box.width / 5.6));
  const rows = [...words, ...lines()].flatMap((note) => wrapped(note, letters));
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

// What a map shows, as its tooltips say it: hidden texts that follow the map.
function mapRows(canvas) {
  const kept = [...main().querySelectorAll(".maprows")]
    .find((one) => canvas.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
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

// What a chart draws: its marks carry their rows of data.
function data(svg) {
  if (svg.rows) return svg.rows;
  const rows = new Map();
  for (const node of svg.querySelectorAll("*")) {
    const item = node.__data__;
    for (const one of item?.mark?.items ?? (item ? [item] : [])) {
      const row = one.datum;
      if (!row || typeof row !== "object" || one.mark?.role !== "mark") continue;
      const flat = Object.entries(row).filter(([k, v]) =>
        (v === null || typeof v !== "object") && !k.startsWith("(") && !k.endsWith("_sort_index"));
      if (flat.length) rows.set(JSON.stringify(flat), Object.fromEntries(flat));
    }
  }
  if (rows.size) return spread([...rows.values()]);
  const named = [...svg.querySelectorAll("title")].map((one) => [one.textContent]);
  return named.length ? [["what"], ...named] : [];
}

function spread(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
}

// Rows of equal length: a cell over several columns leaves the others blank.
function cells(table) {
  const rows = [...table.rows].map((row) => [...row.cells].flatMap(
    (cell) => [cell.innerText.trim(), ...Array(cell.colSpan - 1).fill("")]));
  const width = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array(width - row.length).fill("")]);
}

function csv(rows, notes = lines()) {
  // a spreadsheet must not take a name for a formula
  const cell = (value) => {
    const text = typeof value === "string" && /^[=+@\t\r]|^-(?![\d.])/.test(value) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const head = notes.map((line) => `# ${line}`);
  return [...head, ...rows.map((row) => row.map(cell).join(","))].join("\r\n") + "\r\n";
}

const text = (content, type) => new Blob([content], { type: `${type};charset=utf-8` });

function report() {
  const { pictures, tables } = things();
  const kept = (selector) => [...main().querySelectorAll(selector)]
    .filter((one) => !one.closest(".take-home")).map((one) => one.outerHTML).join("");
  const drawn = pictures.slice(0, 4).map((one) =>
    `<figure>${picture(one, []).text}<figcaption>${escaped(heading(one))}</figcaption></figure>`).join("");
  const listed = tables.slice(0, 2).map((one) => {
    const [head, ...rows] = cells(one);
    const row = (kind, values) => `<tr>${values.map((v) => `<${kind}>${escaped(v)}</${kind}>`).join("")}</tr>`;
    return `<section><h2>${escaped(heading(one))}</h2><table>${row("th", head)}${rows.slice(0, 6).map((r) => row("td", r)).join("")}</table></section>`;
  }).join("");
  const settings = told.settings.map(([k, v]) => `<span><b>${escaped(k)}</b> ${escaped(v)}</span>`).join("");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(told.title)} – ${escaped(told.notice)}</title>
<style>
@page { size: A4; margin: 11mm; }
body { font: 10px/1.35 sans-serif; color: #1c1c1c; background: #fff; max-width: 188mm; margin: 0 auto; }
h1 { font-size: 16px; margin: 0 0 4px; } h2 { font-size: 11px; margin: 6px 0 2px; }
.notice { font-weight: 700; margin: 0 0 4px; } .settings { display: flex; flex-wrap: wrap; gap: 0 12px; margin-bottom: 6px; }
.verdict, .gauge, .card { border: 1px solid #bbb; border-radius: 4px; padding: 4px 6px; margin: 0 0 4px; break-inside: avoid; }
.verdict strong { margin-right: 0.6em; } .verdict small { display: block; } .gauge .scale { display: none; } .value { font-size: 14px; font-weight: 700; } .numbers { max-height: 88mm; overflow: hidden; columns: 2; column-gap: 6px; }
.cards { display: grid; grid-template-columns: 1fr 1fr; gap: 4px; } .meaning { display: none; }
.pictures { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; } figure { margin: 0; break-inside: avoid; } figcaption { color: #444; max-height: 27px; overflow: hidden; }
figure svg { width: 100%; height: auto; max-height: 54mm; } section { break-inside: avoid; max-height: 40mm; overflow: hidden; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; border-bottom: 1px solid #ddd; padding: 1px 4px; }
</style></head><body><h1>${escaped(told.title)}</h1>
<p class="notice">${escaped([told.notice, ...told.banners].join(" "))}</p>
<div class="settings">${settings}</div>
<div class="numbers">${kept(".gauge")}${kept(".verdict:not(.pending)")}${kept(".cards")}</div>
<div class="pictures">${drawn}</div>${listed}</body></html>`;
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
      button("CSV", () => save(`${file}.csv`, text(csv(mapRows(now()), [name, ...lines()]), "text/csv"))),
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
    button("One-page report (HTML)", () => save(`${slug(told.title)}-report.html`, text(report(), "text/html"))),
    button("Print this page", () => window.print()),
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
