// Request, Mask: which keys a query may see, and what a hidden cell becomes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/session/session.h"
#include "app/ui/panel_data.h"
#include "app/ui/request/mask_chips.h"
#include "app/ui/request/request_panel.h"
#include "app/ui/widgets/control_box.h"
#include "core/base/grouped_digits.h"
#include "core/model/past.h"
#include "core/request/mask_terms.h"
#include "core/request/model_text.h"

namespace headscope::ui {

namespace {

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// How many cells of one head of one result are hidden, in words.
struct HiddenLabel {
  std::uint64_t version = 0;  // of the PanelData; 0: none was counted
  std::int64_t batch = 0, head = 0;
  std::string words;
};

// "10 of 25 hidden", of the head that the inspector shows. Counted once a result.
std::string hidden_label(Ui& ui) {
  const PanelData* data = panel_data(ui);
  if (data == nullptr) return "";
  const HiddenCells& hidden = data->trace().mask->hidden;
  const std::int64_t batch = std::min(ui.session.view.batch, hidden.batch() - 1);
  const std::int64_t head = std::min(ui.session.view.head, hidden.heads() - 1);
  auto& counted = ui.state.panels.get<HiddenLabel>();
  std::string& label = counted.words;
  if (counted.version == data->version() && counted.batch == batch && counted.head == head) return label;
  counted = {.version = data->version(), .batch = batch, .head = head, .words = {}};
  const std::int64_t all = hidden.query_len() * hidden.key_len();
  const std::int64_t count = hidden.any() ? hidden.hidden_count(batch, head) : 0;
  label = count == 0 ? "nothing hidden" : fmt::format("{} of {} hidden", grouped_digits(count), grouped_digits(all));
  if (count > 0 && hidden.heads() > 1) label += fmt::format(", head {}", head);
  return label;
}

// Whether another term than prefix, or the model's own mask, hides every later key.
bool is_causal_besides(const Ui& ui) {
  const auto is_causal = [](const MaskTerm& term) { return term.kind == MaskTerm::Kind::causal; };
  const Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  const bool own = trace != nullptr && same_base(trace->request.model, draft.model) &&
                   std::any_of(trace->inputs->own_mask.begin(), trace->inputs->own_mask.end(), is_causal);
  return own || std::any_of(draft.mask.begin(), draft.mask.end(), is_causal);
}

void draw_numbers(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  constexpr std::int64_t most = std::int64_t{1} << 20;
  for (const MaskTermInfo* info : mask_chips()) {
    MaskTerm* term = find_term(draft, info->kind);
    if (term == nullptr || !info->takes_number()) continue;
    const std::string label = fmt::format("{} {}", info->word, info->letter);
    stepper(ui, std::string("request/mask/") + info->chip + "/size", rows.control(label.c_str()), term->size,
            {.low = 0, .high = most}, rows.state("mask", info->help));
    if (info->kind == MaskTerm::Kind::prefix && is_causal_besides(ui)) {
      const Rect note = rows.full(16);
      ui.mark("request/mask/prefix/note", note);
      text_in(ui, note, Type::words12, ui.colors.warn, "beside causal it widens nothing");
      const ControlState why{
          true, false,
          "Hidden cells of all terms unite: causal hides the later keys that prefix would open. Take causal "
          "off to let every query see the prefix."};
      interact_mouse(ui, "request/mask/prefix/why", note, why, false);
    }
  }
  if (const MaskTerm* file = find_term(draft, MaskTerm::Kind::file)) {
    rows.locked("file", file_name(file->path), "Click the chip to leave the file out again.");
    rows.y += ui.px(size::row_height - size::readonly_row_height);
    int kind = static_cast<int>(draft.mask_kind);
    if (combo(ui, "request/mask_kind", rows.control("meaning"),
              {"automatic", "additive", "keep", "hide", "key-keep", "key-hide"}, kind,
              {rows.state(
                   "mask-kind",
                   "additive: added to the scores; keep: 1 = may attend; hide: 1 = hidden; key-keep and key-hide: the "
                   "same of [batch, key_len]; automatic: keep for booleans and integers, else additive."),
               Type::words12})) {
      draft.mask_kind = static_cast<MaskKind>(kind);
    }
    rows.problem("mask-kind");
  }
  rows.problem("mask");
}

// Order and fill as the tutorials combine them, by name.
void draw_order(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const std::string name = "request/mask_order";
  const Rect place = rows.control("order");
  const ControlState state =
      rows.state("mask-order", "Whether hidden cells are filled after the scores were scaled or before.");
  int selected = static_cast<int>(draft.mask_order);
  const std::vector<std::string> items = {"after scale", "before scale"};
  const double inf = std::numeric_limits<double>::infinity();
  struct Convention {
    const char* label;
    const char* tutorial;
    MaskOrder order;
    double fill;
  };
  const Convention conventions[] = {{"after scale, fill \xE2\x88\x92inf",
                                     "000\xE2\x80\x93"
                                     "002",
                                     MaskOrder::after_scale, -inf},
                                    {"before scale, fill \xE2\x88\x92inf", "003", MaskOrder::before_scale, -inf},
                                    {"before scale, fill \xE2\x88\x92"
                                     "1e20",
                                     "004", MaskOrder::before_scale, -1e20}};
  const int picked = take_chosen(ui, name);
  if (picked >= 2 && picked < 5) {
    ui.session.end_undo_step();
    draft.mask_order = conventions[picked - 2].order;
    draft.mask_fill = conventions[picked - 2].fill;
  } else if (picked >= 0 && picked < 2) {
    draft.mask_order = static_cast<MaskOrder>(picked);
  }
  selected = static_cast<int>(draft.mask_order);
  if (combo_head(ui, name, place, items, selected, {state, Type::words12}))
    draft.mask_order = static_cast<MaskOrder>(selected);
  if (ui.state.open_combo == name) {
    std::vector<MenuLine> lines = {{items[0], ""}, {items[1], ""}};
    for (const Convention& c : conventions) lines.push_back({c.label, c.tutorial, true, false, lines.size() == 2});
    show_list(ui, name, place, std::move(lines), selected, Type::words12);
  }
  rows.problem("mask-order");
}

void draw_fill(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const double values[] = {-std::numeric_limits<double>::infinity(), -1e20, -1e9};
  int selected = 3;
  for (int i = 0; i < 3; ++i) {
    if (draft.mask_fill == values[i]) selected = i;
  }
  bool& own = ui.state.panels.get<RequestPanelState>().own_fill;
  if (own) selected = 3;
  const Rect place = rows.control("fill");
  if (combo(ui, "request/mask_fill", place,
            {"\xE2\x88\x92inf",
             "\xE2\x88\x92"
             "1e20",
             "\xE2\x88\x92"
             "1e9",
             "number..."},
            selected,
            {rows.state("mask-fill",
                        "What a hidden cell's score becomes: exp(\xE2\x88\x92inf) is exactly 0; a finite number gives "
                        "uniform rows where all is hidden."),
             Type::words12})) {
    own = selected == 3;
    if (selected < 3) {
      draft.mask_fill = values[selected];
    } else if (std::isinf(draft.mask_fill)) {
      draft.mask_fill = -10000;
    }
  }
  if (selected == 3) {
    number_field(ui, "request/mask_fill/number", rows.control(""), draft.mask_fill, true,
                 rows.state("mask-fill",
                            "The score of a hidden cell, as a number; \xE2\x88\x92"
                            "10000 in float32 still moves outputs by 2e-3."));
  }
  rows.problem("mask-fill");
}

bool lengths_differ(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && trace->query_len() != trace->inputs->key_len;
}

// Where the queries begin among the keys, with what stands before the keys.
void draw_past(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  std::int64_t begin = draft.past;
  if (begin == 0 && !draft.key_past.empty() && trace != nullptr) begin = past_len(*trace->inputs);
  begin = std::max<std::int64_t>(begin, 0);
  constexpr std::int64_t most = std::int64_t{1} << 20;
  if (stepper(ui, "request/past", rows.control("past"), begin, {.low = 0, .high = most},
              rows.state("past", "The key at the place of the first query: masks count from there."))) {
    draft.past = begin > 0 || draft.key_past.empty() ? begin : kPastOfNone;
  }
  for (const char* option : {"past", "key-past", "value-past"}) rows.problem(option);
}

}  // namespace

void draw_mask_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  rows.section("Mask", hidden_label(ui));
  if (const char* why = rows.lock({"mask", "mask-order", "mask-fill", "fully-masked", "causal-align", "past"})) {
    rows.locked("mask", "as captured", why);
    rows.y += ui.px(6);
    return rows.end_section();
  }
  draw_mask_chips(rows);
  draw_numbers(rows);
  if (lengths_differ(ui) || draft.causal_align != CausalAlign::top_left) {
    int align = static_cast<int>(draft.causal_align);
    if (combo(ui, "request/causal_align", rows.control("align"), {"top left", "bottom right"}, align,
              {rows.state("causal-align",
                          "Where the diagonal starts when query_len != key_len: PyTorch top left, ONNX with a cache "
                          "bottom right."),
               Type::words12})) {
      draft.causal_align = static_cast<CausalAlign>(align);
    }
    rows.problem("causal-align");
  }
  if (lengths_differ(ui) || draft.past != 0 || !draft.key_past.empty()) draw_past(rows);
  draw_order(rows);
  draw_fill(rows);
  int masked = static_cast<int>(draft.fully_masked);
  if (combo(ui, "request/fully_masked", rows.control("hidden rows"), {"as computed", "zero", "uniform"}, masked,
            {rows.state("fully-masked",
                        "Rows whose every key is hidden: as computed (NaN with \xE2\x88\x92inf, 0 / 0), all zero, or 1 "
                        "/ key_len each."),
             Type::words12})) {
    draft.fully_masked = static_cast<FullyMasked>(masked);
  }
  rows.problem("fully-masked");
  rows.end_section();
}

}  // namespace headscope::ui
