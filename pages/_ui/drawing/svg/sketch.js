// A small fixed map as vector graphics: zones in colour, or flows over grey zones.
const SVG = "http://www.w3.org/2000/svg";

function shape(kind, attributes, parent) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.appendChild(made);
  return made;
}

function show(tip, place, event, words) {
  tip.textContent = words; // text, never markup
  tip.hidden = !words;
  const box = place.getBoundingClientRect();
  const left = Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth);
  const top = event.clientY - box.top + 16;
  const above = top + tip.offsetHeight > box.height;
  tip.style.left = `${Math.max(left, 0)}px`;
  tip.style.top = `${above ? Math.max(top - tip.offsetHeight - 26, 0) : top}px`;
}

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".sketch");
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", data.viewBox);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", data.alt);
  drawing.style.height = `${data.height}px`;
  const words = new Map();
  data.zones.forEach((path, i) => {
    const zone = shape("path", { d: path, class: data.fills ? "zone" : "ground" }, drawing);
    if (data.fills) zone.setAttribute("fill", data.fills[i]);
    if (data.fills) words.set(zone, data.words[i]);
  });
  (data.flows ?? []).forEach(([path, colour], i) => {
    const flow = shape("path", { d: path, class: "flow", fill: colour }, drawing);
    words.set(flow, data.words[i]);
  });
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  drawing.addEventListener("pointermove", (e) => show(tip, place, e, words.get(e.target) ?? ""));
  drawing.addEventListener("pointerleave", () => { tip.hidden = true; });
  place.replaceChildren(drawing, tip);
}
