/* What is under the pointer, on both maps of a picture at once: words, the flow and its zones. No rerun. */
export default ({ data, parentElement, setTriggerValue }) => {
  const root = parentElement.closest('[class*="st-key-map_"]')
  const words = document.body.appendChild(document.createElement("div"))
  words.className = "map-words"
  words.hidden = true
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
  const choose = (event) => {
    const part = event.target.closest(".zone, .ground")
    if (data.takesZones && part) setTriggerValue("zone", findZone(part))
  }
  const leave = (event) => event.key === "Escape" && clear()
  root.addEventListener("click", choose)
  document.addEventListener("pointerover", point)
  document.addEventListener("keydown", leave)
  return () => {
    root.removeEventListener("click", choose)
    document.removeEventListener("pointerover", point)
    document.removeEventListener("keydown", leave)
    words.remove()
  }
}
