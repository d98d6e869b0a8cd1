#include "app/ui/phrase/input_files.h"

#include <fmt/format.h>

#include "app/session/session.h"
#include "app/ui/phrase/token_chips.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

std::string files_of(const Request& r) {
  const auto name = [](const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  };
  if (!r.token_ids.empty()) return fmt::format("{} token ids", grouped_digits(std::ssize(r.token_ids)));
  if (!r.image.empty()) return "image " + name(r.image);
  if (!r.features.empty()) return "features " + name(r.features);
  if (is_attention_alone(r) && r.key.empty() && r.value.empty()) return "query, key and value " + name(r.query);
  if (is_attention_alone(r))
    return fmt::format("query {}, key {}, value {}", name(r.query), name(r.key), name(r.value));
  std::string text = "x from " + name(r.input);
  if (!r.key_input.empty()) text += ", keys from " + name(r.key_input);
  return text;
}

}  // namespace

bool comes_from_files(const Request& request) {
  return !request.input.empty() || is_attention_alone(request) || !request.token_ids.empty() ||
         !request.image.empty() || !request.features.empty();
}

void draw_input_files(Ui& ui, const Rect& area) {
  Request& draft = ui.session.draft;
  const Rect place{area.min, {area.max.x, area.min.y + ui.px(34)}};
  Rect inner = place;
  const Rect back = take_right(inner, ui.px(132), ui.px(10));
  fill(inner, ui.colors.well, ui.px(size::radius_field));
  outline(ui, inner, ui.colors.line, 1, ui.px(size::radius_field));
  locked_value(ui, inset(inner, ui.px(10)), files_of(draft),
               "The input is fixed by a file; 'Use a phrase' goes back to words.");
  const ControlState state{true, false, "Forgets the input files and takes the words of the phrase again."};
  if (button(ui, "phrase/back", back, "Use a phrase", state)) {
    ui.session.end_undo_step();
    draft.input.clear();
    draft.key_input.clear();
    draft.value_input.clear();
    draft.query.clear();
    draft.key.clear();
    draft.value.clear();
    draft.layout = HeadsLayout::automatic;
    draft.lengths.clear();
    draft.key_past.clear();
    draft.value_past.clear();
    draft.token_ids.clear();
    draft.image.clear();
    draft.features.clear();
    if (draft.phrase.empty()) draft.phrase = "Hola mi nombre es Alex";
    ui.state.focus = "phrase";
  }
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  Rect line{{area.min.x, area.min.y + ui.px(40)}, {area.max.x, area.min.y + ui.px(62)}};
  const std::int64_t count = trace->query_len();
  draw_tokens_fact(ui, line, fmt::format("{} position{}", count, count == 1 ? "" : "s"), nullptr);
  draw_chips(ui, "phrase/tokens", line, chip_row(trace.get(), trace->inputs->tokens),
             {.side = is_cross_attention(trace->request) ? TokenSide::query : TokenSide::both});
}

}  // namespace headscope::ui
