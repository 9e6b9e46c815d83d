// Maps on one scale: a small one by itself, or a large one of two sides, beside each other or with a
// swipe, zoomed together. What is pointed at is marked on every other map of the page.
const SVG = "http://www.w3.org/2000/svg";
const WIDE = 620, STEP = 1.5, MOST = 12, POINTED = "map-pointed";

function shape(kind, attributes, parent) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.appendChild(made);
  return made;
}

function element(kind, name, parent, words) {
  const made = document.createElement(kind);
  made.className = name;
  if (words !== undefined) made.textContent = words; // text, never markup
  parent.appendChild(made);
  return made;
}

// what outlives a redraw: how the map is looked at
function stateOf(place) {
  place.look ??= { mode: null, share: 50, zoom: 1, x: 0, y: 0, every: false };
  return place.look;
}

function panel(data, which, parent) {
  const box = element("div", `panel ${which}`, parent);
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("role", "img");
  box.appendChild(drawing);
  if (data[which].title) element("div", "paneltitle", box, data[which].title);
  return { which, box, drawing, levels: new Map(), words: new Map(), keys: new Map(), zones: new Map(), groups: new Map() };
}

// What lies over a zone: stripes where it is missed, dots where it is needless or unsure.
const OVER = { missed: "#aa33ff", needless: "#cc3300", unsure: "#ee66dd" };
function pattern(kind, parent) {
  const one = shape("pattern", { id: `zones-${kind}`, width: 16, height: 16, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, parent);
  if (kind === "missed") shape("rect", { width: 7, height: 16, fill: OVER[kind] }, one);
  else shape("circle", { cx: 8, cy: 8, r: 4.5, fill: OVER[kind] }, one);
}

// One side at one level of zones, made when it is first looked at.
function drawn(panel, level, coarse) {
  const made = document.createElementNS(SVG, "g");
  const side = level[panel.which], said = [], places = new Map();
  const say = (one, words, key) => {
    panel.words.set(one, words);
    panel.keys.set(one, key);
    places.set(key, one);
    said.push(words);
  };
  level.zones.forEach((path, i) => {
    const zone = shape("path", { d: path, class: side.fills ? "zone" : "ground" }, made);
    if (side.fills) zone.setAttribute("fill", side.fills[i]);
    say(zone, side.fills ? side.words[i] : level.names[i] + (coarse ? "\nClick: zoom in" : ""), level.names[i]);
    (coarse ? panel.groups : panel.zones).set(zone, i);
  });
  if (side.over) for (const kind of Object.keys(OVER)) pattern(kind, made);
  (side.over ?? []).forEach((kind, i) => {
    if (kind) shape("path", { d: level.zones[i], class: `over ${kind}`, fill: `url(#zones-${kind})`, stroke: OVER[kind] }, made);
  });
  for (const [path, colour, kind, words] of side.flows ?? []) {
    const flow = shape("path", { d: path, class: `flow ${kind}` }, made);
    // a wrong flow is told by its edge, too: lost is broken and empty, phantom hollow, inflated dotted
    if (kind !== "lost") flow.style.fill = colour;
    if (kind !== "shown") flow.style.stroke = colour;
    say(flow, words, words.split("\n")[0]);
  }
  if (Number.isInteger(level.marked)) shape("path", { d: level.zones[level.marked], class: "marked" }, made);
  return { made, places, rows: told(said) };
}

// The scale, the marks and, where there are groups, what the arrows are.
function explain(key, { scale, marks, note }) {
  key.replaceChildren();
  if (scale) {
    const bar = element("span", "bar", key);
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", `Colour scale: ${scale.what}, from 0 to ${scale.high}`);
    element("span", "", bar, "0");
    element("i", "", bar).style.background = scale.gradient;
    element("span", "", bar, `${scale.high} or more`);
    element("span", "", key, scale.what);
  }
  for (const [colour, words, kind] of marks ?? []) {
    const mark = element("span", "mark", key);
    element("i", kind, mark).style.color = colour;
    mark.append(words);
  }
  if (note) element("span", "note", key, note);
}

// What is said of each shape, as rows for a table: its name, then one column a label.
function told(said) {
  const parts = said.map((words) => words.split("\n").map((line) => line.split(": ")));
  const labels = (parts.find((one) => one.length > 1) ?? [[""]]).slice(1).map(([label]) => label);
  return [["where", ...labels], ...parts.filter((one) => one.length > labels.length)
    .map(([[name], ...rest]) => [name, ...rest.map(([, value]) => value)])];
}

// The same picture comes with every move of a slider that does not change it: it stays as it is.
export default function ({ data, parentElement, setTriggerValue }) {
  const place = parentElement.querySelector(".stage");
  place.choose = (zone) => setTriggerValue("zone", zone);
  const said = JSON.stringify(data);
  if (place.said === said) return;
  place.said = said;
  fill(place, data);
}

function fill(place, data) {
  const look = stateOf(place);
  place.stop?.();
  const [left, top, width, height] = data.viewBox.split(" ").map(Number);

  const frame = document.createElement("div");
  frame.className = data.clickable ? "frame clickable" : "frame";
  const sides = (data.sides ?? ["true", "private"]).map((which) => panel(data, which, frame));
  const alone = sides.length === 1;
  const levels = [data, ...(data.coarser ?? [])]; // of zones, then of ever larger groups of them
  const key = document.createElement("div");
  key.className = "key";
  let level, tall = 160, room = 0;
  const [shown, hidden = shown] = sides;
  const handle = element("div", "handle", frame);
  for (const [name, value] of Object.entries({
    role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-valuemin": "0",
    "aria-valuemax": "100", "aria-label": `Swipe: ${data[shown.which].title} to the left, ${data[hidden.which].title} to the right`,
  })) handle.setAttribute(name, value);
  element("span", "grip", handle, "◂ ▸").setAttribute("aria-hidden", "true");

  const tools = element("div", "tools", frame);
  const button = (words, label, act) => {
    const made = element("button", "tool", tools, words);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.title = label;
    made.addEventListener("click", act);
    return made;
  };
  const tip = element("div", "tip", frame);
  tip.hidden = true;

  const swiping = () => !alone && (look.mode ?? (place.clientWidth >= WIDE ? "beside" : "swipe")) === "swipe";

  function lay() {
    const swipe = swiping();
    frame.classList.toggle("swipe", swipe);
    frame.classList.toggle("alone", alone);
    room = swipe || alone ? frame.clientWidth : (frame.clientWidth - 8) / 2;
    const fits = Math.round((room * height) / width);
    tall = data.height ?? Math.max(Math.min(fits, window.innerHeight - data.around), 220);
    for (const side of sides) side.drawing.style.height = `${tall}px`;
    place.style.minHeight = `${tall}px`;
    hidden.box.style.clipPath = swipe ? `inset(0 0 0 ${look.share}%)` : "";
    shown.box.style.clipPath = swipe ? `inset(0 ${100 - look.share}% 0 0)` : "";
    handle.style.left = `${look.share}%`;
    handle.setAttribute("aria-valuenow", String(Math.round(look.share)));
    mode.textContent = swipe ? "Side by side" : "Swipe";
    mode.title = swipe ? "Show both maps side by side" : "Lay one map over the other";
    mode.setAttribute("aria-label", mode.title);
    view();
  }

  function view() {
    const w = width / look.zoom, h = height / look.zoom;
    look.x = Math.min(Math.max(look.x, 0), width - w);
    look.y = Math.min(Math.max(look.y, 0), height - h);
    const box = `${left + look.x} ${top + look.y} ${w} ${h}`;
    for (const side of sides) side.drawing.setAttribute("viewBox", box);
    frame.classList.toggle("zoomed", look.zoom > 1);
    const pixels = Math.min(room / w, tall / h);
    const apart = levels.findIndex((one) => one.spacing * pixels >= data.close);
    show(levels.length === 1 || look.every ? 0 : apart < 0 ? levels.length - 1 : apart);
  }

  // Zones, or groups of them where zones would lie too close to be told apart.
  function show(number) {
    if (levels.length > 1) {
      every.textContent = look.every ? "Groups" : "All zones";
      every.title = look.every ? "Draw groups of zones where zones lie close" : "Draw each zone's own flows";
      every.setAttribute("aria-label", every.title);
      every.hidden = !look.every && number === 0;
    }
    if (number === level) return;
    level = number;
    const now = levels[level];
    for (const side of sides) {
      if (!side.levels.has(level)) side.levels.set(level, drawn(side, now, level > 0));
      const { made, rows } = side.levels.get(level);
      side.drawing.replaceChildren(made);
      side.drawing.setAttribute("aria-label", now[side.which].alt);
      [side.drawing.rows, side.drawing.note] = [rows, now.note];
    }
    tip.hidden = true;
    explain(key, now);
  }

  function zoomTo(box) {
    look.zoom = Math.min(Math.max(Math.min(width / box.width, height / box.height) / 3, look.zoom * STEP), MOST);
    look.x = box.x + box.width / 2 - left - width / look.zoom / 2;
    look.y = box.y + box.height / 2 - top - height / look.zoom / 2;
    view();
  }

  function zoom(factor, fx = 0.5, fy = 0.5) {
    const before = look.zoom;
    look.zoom = Math.min(Math.max(look.zoom * factor, 1), MOST);
    look.x += fx * (width / before - width / look.zoom);
    look.y += fy * (height / before - height / look.zoom);
    view();
  }

  button("+", "Zoom in", () => zoom(STEP));
  button("−", "Zoom out", () => zoom(1 / STEP));
  button("⟲", "Show the whole map", () => { Object.assign(look, { zoom: 1, x: 0, y: 0 }); view(); });
  const every = levels.length > 1 ? button("", "", () => { look.every = !look.every; view(); }) : null;
  const mode = button("", "", () => { look.mode = swiping() ? "beside" : "swipe"; lay(); });

  const swipeTo = (event) => {
    const box = frame.getBoundingClientRect();
    look.share = Math.min(Math.max((100 * (event.clientX - box.left)) / box.width, 0), 100);
    lay();
  };
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = swipeTo;
    event.preventDefault();
    handle.focus();
  });
  handle.addEventListener("pointerup", () => { handle.onpointermove = null; });
  handle.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -5, ArrowRight: 5, Home: -100, End: 100 }[event.key];
    if (step === undefined) return;
    look.share = Math.min(Math.max(look.share + step, 0), 100);
    event.preventDefault();
    lay();
  });

  function say(event, words) {
    tip.textContent = words;
    tip.hidden = !words;
    const box = frame.getBoundingClientRect();
    const x = Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth);
    const y = event.clientY - box.top + 16;
    const above = y + tip.offsetHeight > box.height;
    tip.style.left = `${Math.max(x, 0)}px`;
    tip.style.top = `${above ? Math.max(y - tip.offsetHeight - 26, 0) : y}px`;
  }
  // the same flow or zone on every other map; a flow that one does not draw is told by its ends
  const twins = ({ detail: { key, from } }) => {
    for (const side of sides) {
      side.drawing.querySelectorAll(".twin").forEach((one) => one.classList.remove("twin"));
      if (!key || side.drawing === from) continue;
      const { places } = side.levels.get(level), own = places.get(key);
      for (const one of own ? [own] : key.split(" → ").map((end) => places.get(end))) one?.classList.add("twin");
    }
  };
  document.addEventListener(POINTED, twins);
  let pointed = "", at = null;
  const point = (key, from) => {
    if (key === pointed && from === at) return;
    [pointed, at] = [key, from];
    document.dispatchEvent(new CustomEvent(POINTED, { detail: { key, from } }));
  };
  for (const { drawing, words, keys: named, zones, groups } of sides) {
    let from = null, moved = false, pinch = null;
    // Two fingers zoom and move the map; one moves the page, or the map once it is zoomed in.
    const fingers = (event) => {
      const [a, b] = event.touches, box = drawing.getBoundingClientRect();
      return {
        apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
        x: ((a.clientX + b.clientX) / 2 - box.left) / box.width,
        y: ((a.clientY + b.clientY) / 2 - box.top) / box.height,
      };
    };
    drawing.addEventListener("touchstart", (event) => {
      pinch = event.touches.length === 2 ? fingers(event) : null;
      if (!pinch) return;
      event.preventDefault(); // else the browser would zoom the page
      [from, moved] = [null, true];
    }, { passive: false });
    drawing.addEventListener("touchmove", (event) => {
      if (!pinch || event.touches.length !== 2) return;
      event.preventDefault();
      const now = fingers(event);
      look.x += (pinch.x - now.x) * (width / look.zoom);
      look.y += (pinch.y - now.y) * (height / look.zoom);
      zoom(now.apart / Math.max(pinch.apart, 1), now.x, now.y);
      pinch = now;
    }, { passive: false });
    for (const end of ["touchend", "touchcancel"]) {
      drawing.addEventListener(end, () => { pinch = null; });
    }
    drawing.addEventListener("pointermove", (event) => {
      if (pinch) return;
      if (from) {
        const box = drawing.getBoundingClientRect();
        const scale = Math.max(width / look.zoom / box.width, height / look.zoom / box.height);
        const dx = event.clientX - from[0], dy = event.clientY - from[1];
        moved ||= Math.hypot(dx, dy) > 4;
        Object.assign(look, { x: from[2] - dx * scale, y: from[3] - dy * scale });
        view();
        return;
      }
      say(event, words.get(event.target) ?? "");
      point(named.get(event.target) ?? "", drawing);
    });
    drawing.addEventListener("pointerleave", () => { tip.hidden = true; point("", drawing); });
    drawing.addEventListener("pointerdown", (event) => {
      moved = false;
      if (look.zoom > 1) from = [event.clientX, event.clientY, look.x, look.y];
    });
    drawing.addEventListener("pointerup", () => { from = null; });
    drawing.addEventListener("pointercancel", () => { from = null; });
    drawing.addEventListener("click", (event) => {
      if (moved) return;
      if (groups.has(event.target)) return zoomTo(event.target.getBBox());
      if (!data.clickable) return;
      const zone = zones.get(event.target);
      if (zone !== undefined) place.choose(zone);
    });
    drawing.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // a plain wheel moves the page
      event.preventDefault();
      const box = drawing.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, (event.clientX - box.left) / box.width,
        (event.clientY - box.top) / box.height);
    }, { passive: false });
    drawing.addEventListener("dblclick", (event) => {
      const box = drawing.getBoundingClientRect();
      zoom(STEP * STEP, (event.clientX - box.left) / box.width,
        (event.clientY - box.top) / box.height);
    });
  }

  place.replaceChildren(frame, key);
  lay();
  if (!alone && !place.folded && window.innerWidth < 1280 && window.innerWidth > 768) {
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  }
  place.folded = true; // once: whoever opens the panel again keeps it open
  let wide = place.clientWidth;
  const watch = new ResizeObserver(() => {
    if (place.clientWidth !== wide) { wide = place.clientWidth; lay(); }
  });
  watch.observe(place);

  // for a presenter the slider keeps the focus: the arrow keys move ε, unless a control has them
  const resting = () => place.isConnected
    && (!document.activeElement || document.activeElement.matches("body, main"));
  const rest = () => {
    if (resting()) document.querySelector(".st-key-epsilon input[type=range]")?.focus({ preventScroll: true });
  };
  const press = (selector) => document.querySelector(selector)?.click();
  const shortcuts = {
    1: () => press(".st-key-home_shown button:first-of-type"),
    2: () => press(".st-key-home_shown button:nth-of-type(2)"),
    3: () => mode.click(),
  };
  const keys = (event) => {
    if (!place.isConnected) return place.stop(); // this picture has given way to another one
    const free = resting() || document.activeElement?.matches("input[type=range], .tool, .st-key-home_views button");
    if (free && shortcuts[event.key] && !event.repeat) {
      event.preventDefault();
      shortcuts[event.key]();
      return;
    }
    const step = { ArrowLeft: "stepDown", ArrowRight: "stepUp" }[event.key];
    if (!step || !resting()) return;
    rest();
    const slider = document.activeElement;
    if (slider.type !== "range") return;
    slider[step](); // this key was pressed before the slider had the focus
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  };
  if (data.presenting) {
    document.addEventListener("keydown", keys);
    document.addEventListener("click", rest);
    window.setTimeout(rest, 300); // the slider is drawn after the picture
  }
  place.stop = () => {
    watch.disconnect();
    document.removeEventListener(POINTED, twins);
    document.removeEventListener("keydown", keys);
    document.removeEventListener("click", rest);
  };
}
