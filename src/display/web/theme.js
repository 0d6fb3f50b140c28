// Light or dark, before the first paint. The system decides until somebody presses the button; the button goes on from
// what is seen: to the other one, then back to the system's choice. Not a module, so that it runs before the body.
(() => {
  const KEY = "bughoused-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const read = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const write = (choice) => {
    try { choice ? localStorage.setItem(KEY, choice) : localStorage.removeItem(KEY); } catch { /* private mode */ }
  };
  const valid = (choice) => (choice === "light" || choice === "dark" ? choice : null);
  let choice = valid(read());

  const show = () => {
    const seen = choice ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = seen;
    const text = document.getElementById("theme-text");
    if (text) text.textContent = `Theme: ${choice ?? "as the system"}`;
  };
  const press = () => {
    const other = system.matches ? "light" : "dark";
    choice = choice === other ? null : other;
    write(choice);
    show();
  };

  system.addEventListener("change", show);
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", press);
    show();
  });
  show();
})();
