// The phrase: its box, its tokens as chips, and the second phrase for keys and values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/panels.h"
#include "app/ui/phrase/phrase_box.h"
#include "app/ui/phrase/phrase_suggestions.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/request/request_panel.h"
#include "core/text/tokenizer.h"

namespace headscope::ui {

namespace {

enum class Side { query, key, both };

bool comes_from_files(const Request& r) {
  return !r.input.empty() || is_attention_alone(r) || !r.token_ids.empty();
}

std::string files_of(const Request& r) {
  const auto name = [](const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  };
  if (!r.token_ids.empty()) return fmt::format("{} token ids", r.token_ids.size());
  if (is_attention_alone(r))
    return fmt::format("query {}, key {}, value {}", name(r.query), name(r.key), name(r.value));
  std::string text = "x from " + name(r.input);
  if (!r.key_input.empty()) text += ", keys from " + name(r.key_input);
  return text;
}

// The cuts of the text as it stands: the trace's while it is of this text, else those of the word tokenizer.
std::vector<Range> tokens_of(const std::string& text, const std::string& computed, const std::vector<Range>& offsets) {
  if (text == computed && !offsets.empty()) return offsets;
  return make_word_tokenizer()->tokenize(text).offsets;
}

void pick(Ui& ui, std::int64_t index, bool as_key) {
  ViewState& view = ui.session.view;
  Cell cell = view.cell.value_or(Cell{0, 0});
  (as_key ? cell.column : cell.row) = index;
  view.cell = cell;
}

// The token gives way to [MASK], in a model that fills such gaps.
void mask_token(Ui& ui, std::int64_t index) {
  const auto trace = ui.session.trace();
  Request& draft = ui.session.draft;
  if (trace == nullptr || trace->request.phrase != draft.phrase ||
      trace->request.second_phrase != draft.second_phrase) {
    return;
  }
  const bool second = draft.second_phrase && index >= trace->inputs->second_begin;
  std::string& phrase = second ? *draft.second_phrase : draft.phrase;
  const std::string masked = masked_phrase(*trace, phrase, index);
  if (masked.empty()) return;
  ui.session.end_undo_step();
  phrase = masked;
}

float chip_width(Ui& ui, const std::string& index, std::string_view token) {
  return std::ceil(text_width(ui, Type::mono11, index) + std::min(text_width(ui, Type::mono12, token), ui.px(160)) +
                   ui.px(21));
}

void draw_chip(Ui& ui, const Rect& place, const std::string& index, std::string_view token, bool is_query, bool is_key,
               bool hovered, bool unknown) {
  const Palette& c = ui.colors;
  const bool marked = is_query || is_key;
  const float radius = ui.px(size::radius_control);
  fill(place, marked ? c.tint : hovered ? c.hover : c.raised, radius);
  outline(ui, place, is_query ? c.query : is_key ? c.key : c.line, marked ? 1.5f : 1, radius);
  Rect words{{place.min.x + ui.px(7), place.min.y}, {place.max.x - ui.px(5), place.max.y}};
  const float index_width = std::ceil(text_width(ui, Type::mono11, index));
  text_in(ui, take_left(words, index_width + 1, ui.px(6)), Type::mono11, c.text3, index);
  text_in(ui, words, Type::mono12, is_key ? c.key : is_query ? c.query : unknown ? c.warn : c.text, token);
}

// What is shown of the tokens: their pieces, which of them the vocabulary does not have, and what a double click does.
struct ChipRow {
  std::vector<std::string> pieces;
  TokensFact fact;
  bool can_mask = false;
};

ChipRow chip_row(const Trace* trace, const std::vector<std::string>& tokens) {
  ChipRow chips{tokens, {}, false};
  if (trace == nullptr) {
    chips.fact.words = fmt::format("{} tokens", tokens.size());
    return chips;
  }
  chips.fact = tokens_fact(*trace);
  const auto tokenizer = tokenizer_of(*trace);
  if (tokenizer == nullptr) return chips;
  for (std::string& piece : chips.pieces) piece = visible_piece(piece);
  chips.can_mask = tokenizer->special().mask.has_value();
  return chips;
}

// The row of chips; only those that are seen are measured. `first` of them is kept by name.
void draw_chips(Ui& ui, const std::string& name, const Rect& area, const ChipRow& chips, Side side) {
  const std::vector<std::string>& tokens = chips.pieces;
  const std::int64_t count = static_cast<std::int64_t>(tokens.size());
  double& first_number = ui.state.number[name + "/first"];
  double& last_marked = ui.state.number[name + "/marked"];
  const std::int64_t query = side == Side::key ? -1 : marked_tokens(ui).query;
  const std::int64_t key = side == Side::query ? -1 : marked_tokens(ui).key;
  ImGuiIO& io = ImGui::GetIO();
  const ControlState state{
      true, false,
      side == Side::key ? "Click picks the key: the column of every map."
      : chips.can_mask  ? "Click picks the query (row), right click the key (column); a double click masks the token."
                        : "Click picks the query (row), right click the key (column); arrows and Shift+arrows too."};
  const Interaction row_it = interact_mouse(ui, name, area, state);
  std::int64_t first =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(first_number), 0, std::max<std::int64_t>(0, count - 1));
  if ((io.MouseWheel != 0 || io.MouseWheelH != 0) && mouse_over(ui, area)) {
    const float turn = io.MouseWheel - io.MouseWheelH;
    first = std::clamp<std::int64_t>(first - static_cast<std::int64_t>(std::round(turn * 3)), 0,
                                     std::max<std::int64_t>(0, count - 1));
    io.MouseWheel = io.MouseWheelH = 0;
  }
  if (row_it.focused) {
    const bool as_key = side == Side::key;
    for (const bool shift : {false, true}) {
      const bool key_side = as_key || (shift && side == Side::both);
      std::int64_t at = key_side ? key : query;
      const std::int64_t before = at;
      if (ui.take_key(KeyName::right, false, shift)) at = std::min(count - 1, at + 1);
      if (ui.take_key(KeyName::left, false, shift)) at = std::max<std::int64_t>(0, at - 1);
      if (at != before && count > 0) pick(ui, at, key_side);
    }
  }
  // A newly picked token is brought into view.
  const std::int64_t picked = side == Side::key ? (ui.session.view.cell ? ui.session.view.cell->column : -1)
                                                : (ui.session.view.cell ? ui.session.view.cell->row : -1);
  const bool reveal = static_cast<double>(picked) != last_marked && picked >= 0 && picked < count;
  last_marked = static_cast<double>(picked);
  if (reveal && picked < first) first = picked;
  const float gap = ui.px(4), more_room = ui.px(84);
  if (reveal && picked > first) {
    float used = 0;
    std::int64_t back = picked;
    while (back >= first) {
      used += chip_width(ui, std::to_string(back), tokens[static_cast<std::size_t>(back)]) + gap;
      if (used > area.width() - more_room) break;
      --back;
    }
    first = std::max(first, std::min(picked, back + 1));
  }
  first_number = static_cast<double>(first);

  float x = area.min.x;
  if (first > 0) {
    const std::string before = fmt::format("{} \xE2\x80\xB9", first);
    const float w = std::ceil(text_width(ui, Type::words12, before)) + ui.px(8);
    text_in(ui, {{x, area.min.y}, {x + w, area.max.y}}, Type::words12, ui.colors.text3, before);
    x += w;
  }
  std::int64_t i = first;
  for (; i < count; ++i) {
    const std::string& token = tokens[static_cast<std::size_t>(i)];
    const std::string index = std::to_string(i);
    const float w = chip_width(ui, index, token);
    const float room = area.max.x - (i + 1 < count ? more_room : 0);
    if (x + w > room && i > first) break;
    const Rect place{{x, area.min.y}, {std::min(x + w, area.max.x), area.max.y}};
    x += w + gap;
    ui.mark(name + "/" + index, place);
    const bool hovered = row_it.hovered && place.contains(io.MousePos);
    const bool unknown = std::binary_search(chips.fact.unknown.begin(), chips.fact.unknown.end(), i);
    draw_chip(ui, place, index, token, i == query, i == key, hovered, unknown);
    if (!hovered) continue;
    const bool as_key = side == Side::key || (side == Side::both && ui.shift_held);
    (as_key ? ui.state.next_hover.key : ui.state.next_hover.query) = i;
    if (row_it.clicked) pick(ui, i, as_key);
    if (row_it.right_clicked) pick(ui, i, side != Side::query);
    if (row_it.double_clicked && chips.can_mask) mask_token(ui, i);
  }
  if (i < count) {
    text_in(ui, {{x + ui.px(4), area.min.y}, area.max}, Type::words12, ui.colors.text3,
            fmt::format("+ {} more", count - i));
  }
  if (row_it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(area, 0), ui.px(size::radius_control));
}

// What is said at the right of the chips: how the text was cut, or why it cannot run.
void draw_fact(Ui& ui, Rect& line, const std::string& label, const Problem* problem, bool warns = false) {
  const std::string& words = problem != nullptr ? problem->title : label;
  const float width = std::min(std::ceil(text_width(ui, Type::words12, words)) + 1, line.width() * 0.6f);
  const Rect place = take_right(line, width, ui.px(14));
  const Rgba ink = problem != nullptr ? ui.colors.bad : warns ? ui.colors.warn : ui.colors.text2;
  text_in(ui, place, Type::words12, ink, words, 1);
  if (problem != nullptr || warns) {
    draw_icon(ui, Icon::warning, {place.min.x - ui.px(12), std::round(place.center().y)}, ui.px(13), ink);
    line.max.x -= ui.px(18);
  }
}

const Problem* problem_of(const Ui& ui, const char* option) {
  const auto& problem = ui.session.problem();
  return problem && problem->option == option ? &*problem : nullptr;
}

// The row below the box at `place`: chips and the fact about them. A box that has grown over the row leaves only what
// lies beside it.
void draw_tokens(Ui& ui, const std::string& name, const Rect& place, Rect line, const std::vector<std::string>& tokens,
                 Side side, const Problem* problem) {
  const auto trace = ui.session.trace();
  ChipRow chips = chip_row(trace.get(), tokens);
  if (side == Side::key) chips.fact.words = fmt::format("{} tokens, split on blanks", tokens.size());
  const std::string& label = chips.fact.words;
  for (const Rect& grown : ui.state.covered) {
    if (grown.min.x != place.min.x || grown.min.y != place.min.y) continue;
    line.min.x = grown.max.x + ui.px(8);
    const std::string count = label.substr(0, label.find(','));
    if (line.width() > ui.px(40)) text_in(ui, line, Type::words12, ui.colors.text2, count, 1);
    return;
  }
  draw_fact(ui, line, label, problem, !chips.fact.unknown.empty());
  if (line.width() > ui.px(40)) draw_chips(ui, name + "/tokens", line, chips, side);
}

// One phrase with its chips below it.
void draw_phrase(Ui& ui, const Rect& area, const std::string& name, const char* option, std::string& phrase, Side side,
                 const std::vector<std::string>& tokens, const std::vector<Range>& cuts) {
  const Problem* problem = problem_of(ui, option);
  PhraseBox box;
  box.name = name;
  box.hint = side == Side::key ? "words for keys and values" : "words, separated by blanks";
  box.tokens = &cuts;
  box.query = side == Side::key ? -1 : marked_tokens(ui).query;
  box.key = side == Side::query ? -1 : marked_tokens(ui).key;
  box.state.problem = problem != nullptr;
  const Rect place{area.min, {area.max.x, area.min.y + ui.px(34)}};
  Rect line{{area.min.x, area.min.y + ui.px(42)}, {area.max.x, area.min.y + ui.px(64)}};
  // The chips come later in the Tab order but are laid out with the fact's width known.
  phrase_box(ui, place, phrase, box);
  draw_tokens(ui, name, place, line, tokens, side, problem);
}

// Two texts of one sequence: a box each, and below both the tokens of the sequence.
void draw_two_phrases(Ui& ui, const Rect& area, const std::vector<std::string>& tokens,
                      const std::vector<Range>& first_cuts) {
  Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  Rect row{area.min, {area.max.x, area.min.y + ui.px(34)}};
  const Rect cross = take_right(row, ui.px(34), ui.px(6));
  const Rect left = take_left(row, std::floor((row.width() - ui.px(10)) / 2), ui.px(10));
  const std::string computed = trace ? trace->request.second_phrase.value_or("") : "";
  const auto second_cuts =
      tokens_of(*draft.second_phrase, computed, trace ? ranges_in_phrase(*trace->inputs, true) : std::vector<Range>());
  const Problem* problem = problem_of(ui, "phrase");
  const Problem* second_problem = problem_of(ui, "second-phrase");
  PhraseBox box;
  box.name = "phrase";
  box.hint = "the first text";
  box.tokens = &first_cuts;
  box.query = marked_tokens(ui).query;
  box.key = marked_tokens(ui).key;
  box.state.problem = problem != nullptr;
  phrase_box(ui, left, draft.phrase, box);
  box.name = "second_phrase";
  box.hint = "the second text";
  box.tokens = &second_cuts;
  box.state.problem = second_problem != nullptr;
  phrase_box(ui, row, *draft.second_phrase, box);
  const ControlState state{true, false, "The first text alone again."};
  if (icon_button(ui, "second_phrase/close", cross, Icon::close, state)) ui.push(CommandId::toggle_key_phrase);
  const Rect line{{area.min.x, area.min.y + ui.px(42)}, {area.max.x, area.min.y + ui.px(64)}};
  draw_tokens(ui, "phrase", left, line, tokens, Side::both, problem != nullptr ? problem : second_problem);
}

void draw_files(Ui& ui, const Rect& area) {
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
    draft.token_ids.clear();
    if (draft.phrase.empty()) draft.phrase = "Hola mi nombre es Alex";
    ui.state.focus = "phrase";
  }
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  Rect line{{area.min.x, area.min.y + ui.px(42)}, {area.max.x, area.min.y + ui.px(64)}};
  const std::int64_t count = trace->query_len();
  draw_fact(ui, line, fmt::format("{} position{}", count, count == 1 ? "" : "s"), nullptr);
  draw_chips(ui, "phrase/tokens", line, chip_row(trace.get(), trace->inputs->tokens),
             is_cross_attention(trace->request) ? Side::query : Side::both);
}

}  // namespace

void draw_phrase_panel(Ui& ui, const Rect& area) {
  const float padding = ui.px(size::panel_padding);
  Rect inner{{area.min.x + padding, area.min.y + ui.px(12)}, {area.max.x - padding, area.max.y}};
  Request& draft = ui.session.draft;
  if (comes_from_files(draft)) return draw_files(ui, inner);

  const auto trace = ui.session.trace();
  static const std::vector<std::string> none;
  static const std::vector<Range> no_ranges;
  const auto& tokens = trace ? trace->inputs->tokens : none;
  const auto cuts = tokens_of(draft.phrase, trace ? trace->request.phrase : "",
                              trace ? ranges_in_phrase(*trace->inputs, false) : no_ranges);

  if (draft.second_phrase) return draw_two_phrases(ui, inner, tokens, cuts);
  if (draft.key_phrase) {
    const float half = std::floor((inner.width() - ui.px(10)) / 2);
    Rect left = take_left(inner, half, ui.px(10));
    draw_phrase(ui, left, "phrase", "phrase", draft.phrase, Side::query, tokens, cuts);
    Rect right = inner;
    const Rect close = take_right(right, ui.px(34), ui.px(6));
    const auto& key_tokens = trace ? trace->inputs->key_tokens : none;
    const std::string computed = trace && trace->request.key_phrase ? *trace->request.key_phrase : "";
    const auto key_cuts = tokens_of(*draft.key_phrase, computed, trace ? trace->inputs->key_offsets : no_ranges);
    draw_phrase(ui, right, "key_phrase", "key-phrase", *draft.key_phrase, Side::key, key_tokens, key_cuts);
    const ControlState state{true, false, "Keys and values from the same phrase again."};
    const Rect cross{close.min, {close.max.x, close.min.y + ui.px(34)}};
    if (icon_button(ui, "key_phrase/close", cross, Icon::close, state)) ui.push(CommandId::toggle_key_phrase);
    return;
  }
  const bool has_button = ImGui::GetIO().DisplaySize.x / ui.scale >= 1360;
  Rect boxes = inner;
  Rect place;
  if (has_button) place = take_right(boxes, ui.px(132), ui.px(10));
  // The chips and their fact use the width below the button too.
  const Problem* problem = problem_of(ui, "phrase");
  PhraseBox box;
  box.name = "phrase";
  box.hint = "words, separated by blanks";
  box.tokens = &cuts;
  box.query = marked_tokens(ui).query;
  box.key = marked_tokens(ui).key;
  box.state.problem = problem != nullptr;
  const Rect field{boxes.min, {boxes.max.x, boxes.min.y + ui.px(34)}};
  take_suggestion(ui, draft.phrase);
  phrase_box(ui, field, draft.phrase, box);
  draw_suggestions(ui, field, draft.phrase);
  if (has_button) {
    const Rect key{place.min, {place.max.x, place.min.y + ui.px(34)}};
    const bool checkpoint = is_checkpoint(draft), pairs = checkpoint && trace != nullptr && reads_pairs(*trace);
    const ControlState state{
        !checkpoint || pairs, false,
        pairs ? "A second text in the same sequence, as models that compare two read it: [CLS] A [SEP] B [SEP] "
                "(Ctrl+K)."
        : checkpoint
            ? "This model reads one text: a second one needs a tokenizer that joins pairs, as BERT's does; keys "
              "of another text need one layer's weights."
            : "Keys and values from a second phrase: cross-attention, query_len != key_len (Ctrl+K)."};
    if (button(ui, "phrase/key_phrase", key, "", state)) ui.push(CommandId::toggle_key_phrase);
    draw_icon(ui, Icon::plus, {key.min.x + ui.px(16), key.center().y}, ui.px(10), ui.colors.text2);
    text_in(ui, {{key.min.x + ui.px(34), key.min.y}, key.max}, Type::words12,
            state.enabled ? ui.colors.text : ui.colors.text3, checkpoint ? "Second phrase" : "Key phrase");
  }
  Rect line{{inner.min.x, inner.min.y + ui.px(42)}, {inner.max.x, inner.min.y + ui.px(64)}};
  draw_tokens(ui, "phrase", field, line, tokens, Side::both, problem);
}

}  // namespace headscope::ui
