/* What is under the pointer, on both maps of a picture at once: words, the flow and its zones. No rerun. */
export default ({ data, parentElement, setTriggerValue }) => {
  const root = parentElement.closest('[class*="st-key-map_"]')
  const words = document.body.appendChild(document.createElement("div"))
  words.className = "map-words"
  words.hidden = true
  let zoom = 1, left = 0, top = 0, waiting, isDragged
  const find = (selector) => root.querySelectorAll(selector)
  const light = (part) => part.classList.add("pointed")
  const clear = () => {
    words.hidden = true
    find(".pointed").forEach((part) => part.classList.remove("pointed"))
  }
  const zonesOf = (map) => [...map.querySelectorAll(".zone, .ground")]
  const findZone = (part) => zonesOf(part.closest("svg")).indexOf(part)
  const point = (event) => {
    const part = root.contains(event.target) && event.target.closest(".zone, .ground, .flow")
    if (!part && words.hidden) return
    clear()
    if (!part) return
    const zones = part.dataset.zones?.split(" ").map(Number) ?? [findZone(part)]
    const sides = part.closest(".sides")
    words.textContent = part.dataset.words ?? sides.dataset.names.split("\n")[zones[0]] ?? ""
    if (!words.textContent) return
    words.hidden = false
    // over its own map, so that the other one can be seen
    const map = part.closest("figure").getBoundingClientRect(), above = event.clientY - 16 - words.offsetHeight
    words.style.left = `${Math.max(4, map.left, Math.min(event.clientX + 16, map.right - words.offsetWidth))}px`
    words.style.top = `${above < 4 ? event.clientY + 24 : above}px`
    find("svg").forEach((map) => zonesOf(map).forEach((zone, i) => zones.includes(i) && light(zone)))
    if (zones.length < 2) return
    light(sides)
    find(`.flow[data-zones="${part.dataset.zones}"]`).forEach(light)
  }
  const place = () => {
    const within = (share) => Math.min(0, Math.max(100 - 100 * zoom, share))
    left = within(left)
    top = within(top)
    root.dataset.zoom = zoom
    root.style.cssText = `--zoom: ${zoom}; --left: ${left}%; --top: ${top}%`
  }
  const enlarge = (event) => {
    clearTimeout(waiting)
    const box = event.target.closest(".plane")?.getBoundingClientRect()
    if (!box) return
    zoom = event.shiftKey ? Math.max(1, zoom / 2) : zoom === 8 ? 1 : 2 * zoom
    left = 50 - (100 * zoom * (event.clientX - box.left)) / box.width
    top = 50 - (100 * zoom * (event.clientY - box.top)) / box.height
    place()
  }
  const drag = (event) => {
    const map = event.buttons === 1 && zoom > 1 && event.target.closest(".map")
    if (!map) return
    isDragged = true
    left += (100 * event.movementX) / map.clientWidth
    top += (100 * event.movementY) / map.clientHeight
    place()
  }
  const choose = (event) => {
    const part = event.target.closest(".zone, .ground")
    clearTimeout(waiting)
    // the end of a drag chooses nothing, nor does a second click, which enlarges the map
    if (data.takesZones && part && event.detail === 1 && !isDragged) waiting = setTimeout(() => setTriggerValue("zone", findZone(part)), 250)
    isDragged = false
  }
  const leave = (event) => {
    if (event.key !== "Escape") return
    clear()
    zoom = 1
    place()
  }
  const events = { dblclick: enlarge, pointermove: drag, click: choose }
  for (const [name, take] of Object.entries(events)) root.addEventListener(name, take)
  document.addEventListener("pointerover", point)
  document.addEventListener("keydown", leave)
  return () => {
    for (const [name, take] of Object.entries(events)) root.removeEventListener(name, take)
    document.removeEventListener("pointerover", point)
    document.removeEventListener("keydown", leave)
    clearTimeout(waiting)
    words.remove()
  }
}
