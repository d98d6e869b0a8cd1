// Text that is typed, composed or pasted, by a hidden field that always has the focus, and the clipboard.
(() => {
  const field = document.getElementById("typing");
  const hold = () => field.focus({preventScroll: true});
  Module.canvas.addEventListener("mousedown", event => {
    event.preventDefault();
    hold();
  });
  Module.canvas.addEventListener("touchstart", hold);
  Module.canvas.addEventListener("contextmenu", event => event.preventDefault());
  window.addEventListener("focus", hold);
  hold();

  const type = text => {
    for (const sign of text) _headscope_typed(sign.codePointAt(0));
  };
  field.addEventListener("input", event => {
    if (event.isComposing) return;
    if (event.inputType === "insertText" || event.inputType === "insertFromComposition") type(event.data || "");
    field.value = "";
  });
  field.addEventListener("compositionend", event => {
    type(event.data || "");
    field.value = "";
  });

  window.addEventListener("paste", event => {
    event.preventDefault();
    Module.pasted = event.clipboardData.getData("text");
    _headscope_pasted();
  });
  // What the program itself has copied can be pasted even where the browser keeps its clipboard to itself.
  Module.copy = text => {
    Module.pasted = text;
    if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => {});
  };
})();
