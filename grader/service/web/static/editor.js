// Turns the text field into an editor with coloured OpenCL C, and the findings of the last attempt at their lines. The
// form sends the text of the field, with or without this script.
"use strict";

function words(text) {
  return Object.fromEntries(text.trim().split(/\s+/).map((word) => [word, true]));
}

const C = CodeMirror.resolveMode("text/x-csrc");
const QUALIFIERS = `kernel global local constant private generic read_only write_only read_write
  __kernel __global __local __constant __private __generic __read_only __write_only __read_write __attribute__`;
const BUILTIN = `get_work_dim get_global_size get_global_id get_local_size get_enqueued_local_size get_local_id get_num_groups
  get_group_id get_global_offset get_global_linear_id get_local_linear_id barrier work_group_barrier mem_fence read_mem_fence
  write_mem_fence async_work_group_copy async_work_group_strided_copy wait_group_events prefetch
  atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max atomic_and atomic_or atomic_xor
  sub_group_barrier sub_group_reduce_add sub_group_broadcast work_group_reduce_add work_group_broadcast
  fma mad mad24 mul24 mad_hi mul_hi mad_sat add_sat sub_sat hadd rhadd rotate clz popcount upsample bitselect select shuffle
  shuffle2 any all min max clamp mix step smoothstep sign degrees radians abs abs_diff fabs fmin fmax fmod fdim sqrt rsqrt cbrt
  native_sqrt native_rsqrt native_recip native_divide native_exp native_log native_sin native_cos half_sqrt half_rsqrt half_recip
  half_divide exp exp2 exp10 log log2 log10 pow pown powr sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil round rint
  trunc isnan isinf isfinite signbit hypot ldexp frexp modf dot cross length distance normalize fast_length printf
  vload2 vload3 vload4 vload8 vload16 vstore2 vstore3 vstore4 vstore8 vstore16 vload_half vstore_half
  read_imagef read_imagei read_imageui write_imagef write_imagei write_imageui`;
const ATOMS = `CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE CLK_IMAGE_MEM_FENCE M_PI M_PI_F M_E M_E_F INFINITY NAN HUGE_VALF
  FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX INT_MAX INT_MIN UINT_MAX true false NULL`;
const TYPE = /^((u?(char|short|int|long)|half|float|double|real)(2|3|4|8|16)?|u?int(8|16|32|64)_t|size_t|ptrdiff_t|u?intptr_t|bool|void|event_t|sampler_t|image[123]d(_array)?_t)$/;
const CONVERSION = /^(convert|as)_(u?(char|short|int|long)|half|float|double)(2|3|4|8|16)?(_sat)?(_rt[ezpn])?$/;

CodeMirror.defineMIME("text/x-opencl", {
  ...C,
  keywords: { ...C.keywords, ...words(QUALIFIERS) },
  types: (word) => TYPE.test(word),
  builtin: (word) => CONVERSION.test(word) || Object.hasOwn(FUNCTIONS, word),
  atoms: words(ATOMS),
});
const FUNCTIONS = words(BUILTIN);

// The lines of the text as it is now. Each keeps its identity, whatever is typed above it.
function linesOf(editor) {
  const lines = [];
  editor.eachLine((line) => { lines.push(line); });
  return lines;
}

// Marks the lines that the page has remarks about, instead of earlier marks. `lines` are those of the graded text.
function mark(editor, lines) {
  editor.clearGutter("remarks");
  editor.eachLine((line) => { editor.removeLineClass(line, "background", "marked"); });
  const said = new Map();
  for (const remark of document.querySelectorAll("#remarks [data-line]")) {
    const line = lines[Number(remark.dataset.line) - 1];
    remark.addEventListener("click", (event) => {
      event.preventDefault();
      goTo(editor, line);
    });
    said.set(line, new Set([...(said.get(line) || []), remark.closest("li").textContent.trim()]));
  }
  for (const [line, sentences] of said) {
    if (placeOf(editor, line) === null) continue;
    const sign = document.createElement("span");
    sign.textContent = "▶";
    sign.title = [...sentences].join("\n");
    editor.setGutterMarker(line, "remarks", sign);
    editor.addLineClass(line, "background", "marked");
  }
}

function goTo(editor, line) {
  const place = placeOf(editor, line);
  if (place === null) return;
  editor.setCursor(place, 0);
  editor.scrollIntoView(null, 120);
  editor.focus();
}

// The number of a line now; null if the line was deleted, or is beyond the end.
function placeOf(editor, line) {
  return (line && editor.getLineNumber(line)) ?? null;
}

// True if the service has refused the text, and so does not have it.
function isRefused(field) {
  return field.getAttribute("aria-invalid") === "true";
}

const SAVE_AFTER = 400; // milliseconds without a change

// Keeps a draft in this browser until the service has stored the text, because a session can end, or a laptop can lose
// power.
function keepDraft(editor, field) {
  const key = `draft ${field.dataset.draft}`;
  const offer = document.getElementById("draft");
  const [use, drop] = offer.querySelectorAll("button");
  const given = editor.getValue();
  const kept = localStorage.getItem(key);
  offer.hidden = kept === null || kept === given;
  if (kept === given && !isRefused(field)) localStorage.removeItem(key);
  use.addEventListener("click", () => {
    editor.setValue(kept);
    offer.hidden = true;
    editor.focus();
  });
  drop.addEventListener("click", () => {
    localStorage.removeItem(key);
    offer.hidden = true;
    editor.focus();
  });
  const save = () => localStorage.setItem(key, editor.getValue());
  let waiting;
  editor.on("change", () => {
    clearTimeout(waiting);
    waiting = setTimeout(save, SAVE_AFTER);
  });
  window.addEventListener("pagehide", () => {
    if (!editor.isClean()) save();
  });
}

function edit(field) {
  const editor = CodeMirror.fromTextArea(field, {
    mode: "text/x-opencl",
    theme: "grader",
    lineNumbers: true,
    indentUnit: 4,
    gutters: ["remarks", "CodeMirror-linenumbers"],
    inputStyle: "contenteditable", // lets the keyboard scroll the focused element
    screenReaderLabel: field.labels[0].textContent,
    extraKeys: { Tab: false, "Shift-Tab": false }, // Tab leaves the editor, as in any other field
  });
  const typed = { role: "textbox", "aria-multiline": "true" };
  for (const name of ["aria-describedby", "aria-invalid"]) {
    if (field.hasAttribute(name)) typed[name] = field.getAttribute(name);
  }
  for (const [name, value] of Object.entries(typed)) editor.getInputField().setAttribute(name, value);
  mark(editor, linesOf(editor));
  keepDraft(editor, field);
  let sent = false;
  field.form.addEventListener("submit", (event) => {
    sent = event.submitter?.id !== "try"; // a text that was only tried is not stored
    editor.display.input.updateFromDOM(); // otherwise it reads typed text 80 ms later; no public call does this
  }, { capture: true }); // runs before the editor's own listener fills the field
  window.addEventListener("beforeunload", (event) => {
    if (!sent && (isRefused(field) || !editor.isClean())) event.preventDefault(); // makes the browser ask
  });
  return editor;
}

const editor = edit(document.getElementById("text"));
