// A table whose rows can be chosen. Everything is put in as text, never as markup.
function cell(kind, words, row) {
  const made = document.createElement(kind);
  if (words !== undefined) made.textContent = words;
  row.appendChild(made);
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const words of data.heads) cell("th", words, head).scope = "col";
  const body = table.createTBody();
  data.rows.forEach((texts, i) => {
    const row = body.insertRow();
    row.className = i === data.chosen ? "chosen" : "";
    texts.forEach((words, at) => {
      if (at) return void cell("td", words, row);
      const button = cell("button", words, cell("td", undefined, row));
      button.type = "button";
      button.title = data.what;
      button.setAttribute("aria-pressed", String(i === data.chosen));
    });
    row.addEventListener("click", () => setTriggerValue("row", i));
  });
  parentElement.querySelector(".rows").replaceChildren(table);
}
