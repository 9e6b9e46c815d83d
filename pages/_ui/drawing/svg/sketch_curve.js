// A small curve over the privacy loss: shares from 0 to 100% on an axis from 0 to 1.
const SVG = "http://www.w3.org/2000/svg";
const LEFT = 42, RIGHT = 14, TOP = 34, BOTTOM = 38;

function shape(kind, attributes, parent, words) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (words !== undefined) made.textContent = words;
  parent.appendChild(made);
  return made;
}

function draw(data, place, pick) {
  const width = Math.max(place.clientWidth, 160);
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 ${width} ${data.height}`);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", data.alt);
  drawing.style.height = `${data.height}px`;
  const x = (across) => LEFT + across * (width - LEFT - RIGHT);
  const y = (share) => TOP + (1 - share) * (data.height - TOP - BOTTOM);
  const floor = y(0);

  shape("text", { x: 0, y: 14, class: "title" }, drawing, data.title);
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    shape("line", { x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share), class: "grid" }, drawing);
    if (share * 2 === Math.round(share * 2)) {
      shape("text", { x: LEFT - 8, y: y(share) + 4, "text-anchor": "end" }, drawing, share === 1 ? data.top : `${share * 100}%`);
    }
  }
  for (const [across, words] of data.ticks) {
    shape("text", { x: x(across), y: floor + 16, "text-anchor": "middle" }, drawing, words);
  }
  const middle = (LEFT + width - RIGHT) / 2;
  shape("text", { x: middle, y: floor + 33, "text-anchor": "middle" }, drawing, data.foot);

  const [here, hereWords] = data.here;
  const red = data.colours.here, blue = data.colours.line;
  shape("line", { x1: x(here), x2: x(here), y1: TOP, y2: floor, stroke: red, "stroke-dasharray": "4 3" }, drawing);
  shape("text", { x: width - RIGHT, y: 14, "text-anchor": "end", class: "words", style: `fill: ${red}` }, drawing, `● ${hereWords}`);
  const path = data.points.map(([across, share]) => `${x(across)} ${y(share)}`).join("L");
  if (path) shape("path", { d: `M${path}`, class: "line", stroke: blue }, drawing);
  for (const [across, share, words] of data.points) {
    const now = Math.abs(across - here) < 1e-3;
    const place = { cx: x(across), cy: y(share) };
    shape("circle", { ...place, r: now ? 4.5 : 2.2, fill: now ? red : blue }, drawing);
    const around = shape("circle", { ...place, r: 10, class: "hit" }, drawing);
    shape("title", {}, around, words);
    around.addEventListener("click", () => pick(across));
  }
  place.replaceChildren(drawing);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const place = parentElement.querySelector(".curve");
  place.style.minHeight = `${data.height}px`;
  const pick = (across) => setTriggerValue("across", across);
  draw(data, place, pick);
  let width = place.clientWidth;
  const watch = new ResizeObserver(() => {
    if (place.clientWidth !== width) {
      width = place.clientWidth;
      draw(data, place, pick);
    }
  });
  watch.observe(place);
  return () => watch.disconnect();
}
