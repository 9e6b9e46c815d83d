// A quantile dot plot, one dot a draw; Play shows draw after draw, as they might have come.
const SVG = "http://www.w3.org/2000/svg";
const SIDE = 18, BELOW = 26, PAUSE_MS = 450;

function shape(kind, attributes, parent, words) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (words !== undefined) made.textContent = words;
  parent.appendChild(made);
  return made;
}

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".dots");
  window.clearInterval(place.timer);
  const width = Math.max(place.clientWidth, 200);
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 ${width} ${data.height}`);
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", data.alt);
  drawing.style.height = `${data.height}px`;
  const tallest = Math.max(...data.dots.map(([, level]) => level)) + 1;
  const floor = data.height - BELOW;
  const radius = Math.min(9, (width - 2 * SIDE) / 38, (floor - 4) / (2 * tallest));
  const x = (across) => SIDE + across * (width - 2 * SIDE);
  shape("line", { x1: SIDE, x2: width - SIDE, y1: floor, y2: floor, class: "axis" }, drawing);
  shape("text", { x: SIDE, y: data.height - 8 }, drawing, data.ends[0]);
  shape("text", { x: width - SIDE, y: data.height - 8, "text-anchor": "end" }, drawing, data.ends[1]);
  const dots = data.dots.map(([across, level, words]) => {
    const dot = shape("circle", { cx: x(across), cy: floor - radius * (2 * level + 1), r: radius * 0.9, fill: data.colours.dot }, drawing);
    shape("title", {}, dot, words);
    return dot;
  });

  const line = document.createElement("div");
  line.className = "line";
  const play = document.createElement("button");
  play.type = "button";
  const now = document.createElement("output");
  line.append(play, now);

  function show(at) {
    dots.forEach((dot, i) => dot.setAttribute("fill", i === at ? data.colours.here : data.colours.dot));
    dots.forEach((dot, i) => { dot.style.opacity = at === null || i === at ? 1 : 0.35; });
    now.textContent = at === null ? "" : `Draw ${at + 1} of ${data.played}: ${data.dots[at][2]}`;
  }
  function stop() {
    window.clearInterval(place.timer);
    place.timer = undefined;
    play.textContent = `▶ Play ${data.played} draws`;
    show(null);
  }
  play.addEventListener("click", () => {
    if (place.timer) { stop(); return; }
    let at = 0;
    play.textContent = "❚❚ Stop";
    show(at);
    place.timer = window.setInterval(() => {
      at += 1;
      if (at < data.played) show(at);
      else stop();
    }, PAUSE_MS);
  });
  stop();
  place.replaceChildren(drawing, line);
  return () => window.clearInterval(place.timer);
}
