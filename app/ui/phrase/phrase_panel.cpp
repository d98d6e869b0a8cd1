// The phrase: its box, its tokens as chips, and the second phrase for keys and values.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "app/session/session.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/panels.h"
#include "app/ui/phrase/capture_names.h"
#include "app/ui/phrase/input_files.h"
#include "app/ui/phrase/phrase_box.h"
#include "app/ui/phrase/phrase_suggestions.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/phrase/token_chips.h"
#include "app/ui/phrase/wrapped_text.h"
#include "app/ui/request/request_panel.h"
#include "core/request/model_kind.h"
#include "core/text/tokenizer.h"

namespace headscope::ui {

namespace {

using Cuts = std::shared_ptr<const std::vector<Range>>;

// The cuts of the result that is shown, made once for it.
struct KnownCuts {
  struct Of {
    std::shared_ptr<const Inputs> inputs;
    Cuts cuts;
  };
  std::map<std::string, Of> by_name;  // of the box
};

// A text of the result: null where there is none.
struct Computed {
  const std::string* text = nullptr;
  std::vector<Range> (*cuts)(const Inputs&) = nullptr;
};

std::vector<Range> cuts_of_first(const Inputs& inputs) {
  return ranges_in_phrase(inputs, false);
}
std::vector<Range> cuts_of_second(const Inputs& inputs) {
  return ranges_in_phrase(inputs, true);
}
std::vector<Range> cuts_of_key(const Inputs& inputs) {
  return inputs.key_offsets;
}

// The cuts of the text as it stands: the result's while it is of this text, else those of the word tokenizer; null for
// a long text until its result is there.
Cuts cuts_of(Ui& ui, const std::string& name, const std::string& text, const Computed& computed) {
  if (computed.text != nullptr && text == *computed.text) {
    KnownCuts::Of& known = ui.state.panels.get<KnownCuts>().by_name[name];
    const std::shared_ptr<const Inputs>& inputs = ui.session.trace()->inputs;
    if (known.inputs != inputs) known = {inputs, std::make_shared<const std::vector<Range>>(computed.cuts(*inputs))};
    if (!known.cuts->empty()) return known.cuts;
  }
  if (text.size() > kLongText) return nullptr;
  return std::make_shared<const std::vector<Range>>(make_word_tokenizer()->tokenize(text).offsets);
}

const std::string* text_of(const std::optional<std::string>& text) {
  return text ? &*text : nullptr;
}

const Problem* problem_of_phrase(const Ui& ui, const char* option) {
  const auto& problem = ui.session.problem();
  return problem && problem->option == option ? &*problem : nullptr;
}

// The row of chips below the boxes of `area`.
Rect tokens_line(const Ui& ui, const Rect& area) {
  return {{area.min.x, area.min.y + ui.px(40)}, {area.max.x, area.min.y + ui.px(62)}};
}

// The tokens of the picked cell, not of the one under the mouse.
TokenPair picked_tokens(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return {};
  const std::optional<CellPlace> picked = picked_place(ui.session.view, *trace);
  return picked ? ui::tokens_of(*trace, *picked) : TokenPair{};
}

// One phrase with its chips below it.
struct Phrase {
  Rect area;
  std::string name;
  const char* option;  // of the request, whose problems are shown
  std::string& text;
  TokenSide side;
  const std::vector<std::string>& tokens;  // of the result
  Cuts cuts;                               // of the text
};

void draw_phrase(Ui& ui, const Phrase& phrase) {
  const Problem* problem = problem_of_phrase(ui, phrase.option);
  const Rect& area = phrase.area;
  PhraseBox box;
  box.name = phrase.name;
  box.hint = phrase.side == TokenSide::key ? "words for keys and values" : "words, separated by blanks";
  box.tokens = phrase.cuts;
  const bool rows = phrase.side == TokenSide::query || phrase.side == TokenSide::both;
  const bool columns = phrase.side == TokenSide::key || phrase.side == TokenSide::both;
  box.query = rows ? marked_tokens(ui).query : -1;
  box.key = columns ? marked_tokens(ui).key : -1;
  box.picked = rows ? picked_tokens(ui).query : columns ? picked_tokens(ui).key : -1;
  box.state.problem = problem != nullptr;
  const Rect place{area.min, {area.max.x, area.min.y + ui.px(34)}};
  // The chips come later in the Tab order but are laid out with the fact's width known.
  phrase_box(ui, place, phrase.text, box);
  draw_tokens_below(ui, {.name = phrase.name,
                         .box = place,
                         .line = tokens_line(ui, area),
                         .tokens = phrase.tokens,
                         .side = phrase.side,
                         .problem = problem,
                         .edited = edited_token(ui, phrase.name, phrase.cuts.get())});
}

// Queries from one phrase, keys and values from another: side by side.
void draw_key_phrase(Ui& ui, Rect area, const std::vector<std::string>& tokens, const Cuts& cuts) {
  Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  static const std::vector<std::string> none;
  const float half = std::floor((area.width() - ui.px(10)) / 2);
  const Rect left = take_left(area, half, ui.px(10));
  draw_phrase(ui, {left, "phrase", "phrase", draft.phrase, TokenSide::query, tokens, cuts});
  const Rect close = take_right(area, ui.px(34), ui.px(6));
  const auto& key_tokens = trace ? trace->inputs->key_tokens : none;
  const Computed computed{trace ? text_of(trace->request.key_phrase) : nullptr, cuts_of_key};
  const Cuts key_cuts = cuts_of(ui, "key_phrase", *draft.key_phrase, computed);
  draw_phrase(ui, {area, "key_phrase", "key-phrase", *draft.key_phrase, TokenSide::key, key_tokens, key_cuts});
  const ControlState state{true, false, "Keys and values from the same phrase again."};
  const Rect cross{close.min, {close.max.x, close.min.y + ui.px(34)}};
  if (icon_button(ui, "key_phrase/close", cross, Icon::close, state)) ui.push(CommandId::toggle_key_phrase);
}

std::vector<Range> cuts_of_encoder(const Inputs& inputs) {
  return ranges_in_phrase(inputs.encoder != nullptr ? *inputs.encoder : inputs, false);
}

// The texts of an encoder and of its decoder: side by side, each with the tokens that the shown attention has of it.
void draw_decoder_phrase(Ui& ui, Rect area) {
  Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  static const std::vector<std::string> none;
  const bool decodes = trace != nullptr && trace->inputs->encoder != nullptr;
  const bool cross = decodes && is_cross_attention(trace->request);
  const auto& encoder_tokens = decodes ? trace->inputs->encoder->tokens : trace ? trace->inputs->tokens : none;
  const Rect left = take_left(area, std::floor((area.width() - ui.px(10)) / 2), ui.px(10));
  const Cuts cuts = cuts_of(ui, "phrase", draft.phrase, {trace ? &trace->request.phrase : nullptr, cuts_of_encoder});
  const TokenSide encoder_side = cross ? TokenSide::key : decodes ? TokenSide::none : TokenSide::both;
  draw_phrase(ui, {left, "phrase", "phrase", draft.phrase, encoder_side, encoder_tokens, cuts});
  const Rect close = take_right(area, ui.px(34), ui.px(6));
  const auto& tokens = decodes ? trace->inputs->tokens : none;
  const Computed computed{decodes ? text_of(trace->request.decoder_phrase) : nullptr, cuts_of_first};
  const Cuts decoder_cuts = cuts_of(ui, "decoder_phrase", *draft.decoder_phrase, computed);
  const TokenSide side = cross ? TokenSide::query : decodes ? TokenSide::both : TokenSide::none;
  draw_phrase(ui, {area, "decoder_phrase", "decoder-phrase", *draft.decoder_phrase, side, tokens, decoder_cuts});
  const ControlState state{true, false, "The encoder alone again."};
  const Rect cross_out{close.min, {close.max.x, close.min.y + ui.px(34)}};
  if (icon_button(ui, "decoder_phrase/close", cross_out, Icon::close, state)) ui.push(CommandId::toggle_key_phrase);
}

// Two texts of one sequence: a box each, and below both the tokens of the sequence.
void draw_two_phrases(Ui& ui, const Rect& area, const std::vector<std::string>& tokens, const Cuts& first_cuts) {
  Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  Rect row{area.min, {area.max.x, area.min.y + ui.px(34)}};
  const Rect cross = take_right(row, ui.px(34), ui.px(6));
  const Rect left = take_left(row, std::floor((row.width() - ui.px(10)) / 2), ui.px(10));
  const Computed computed{trace ? text_of(trace->request.second_phrase) : nullptr, cuts_of_second};
  const Cuts second_cuts = cuts_of(ui, "second_phrase", *draft.second_phrase, computed);
  const Problem* problem = problem_of_phrase(ui, "phrase");
  const Problem* second_problem = problem_of_phrase(ui, "second-phrase");
  PhraseBox box;
  box.name = "phrase";
  box.hint = "the first text";
  box.tokens = first_cuts;
  box.query = marked_tokens(ui).query;
  box.key = marked_tokens(ui).key;
  box.picked = picked_tokens(ui).query;
  box.state.problem = problem != nullptr;
  phrase_box(ui, left, draft.phrase, box);
  box.name = "second_phrase";
  box.hint = "the second text";
  box.tokens = second_cuts;
  box.state.problem = second_problem != nullptr;
  phrase_box(ui, row, *draft.second_phrase, box);
  const ControlState state{true, false, "The first text alone again."};
  if (icon_button(ui, "second_phrase/close", cross, Icon::close, state)) ui.push(CommandId::toggle_key_phrase);
  draw_tokens_below(ui, {.name = "phrase",
                         .box = left,
                         .line = tokens_line(ui, area),
                         .tokens = tokens,
                         .problem = problem != nullptr ? problem : second_problem});
}

// Adds a second text, where the request takes one.
void draw_second_phrase_button(Ui& ui, const Rect& place) {
  const auto trace = ui.session.trace();
  const bool checkpoint = is_checkpoint(ui.session.draft);
  const bool decoder = checkpoint && has_decoder(ui);
  const bool pairs = checkpoint && trace != nullptr && reads_pairs(*trace);
  const ControlState state{
      !checkpoint || pairs || decoder, false,
      decoder      ? "The decoder's text: its own attention, and what it attends to in this text (Ctrl+K)."
      : pairs      ? "A second text in the same sequence, as models that compare two read it: [CLS] A [SEP] B [SEP] "
                     "(Ctrl+K)."
      : checkpoint ? "This model reads one text: a second one needs a tokenizer that joins pairs, as BERT's does; keys "
                     "of another text need one layer's weights."
                   : "Keys and values from a second phrase: cross-attention, query_len != key_len (Ctrl+K)."};
  if (button(ui, "phrase/key_phrase", place, "", state)) ui.push(CommandId::toggle_key_phrase);
  draw_icon(ui, Icon::plus, {place.min.x + ui.px(16), place.center().y}, ui.px(10), ui.colors.text2);
  text_in(ui, {{place.min.x + ui.px(34), place.min.y}, place.max}, Type::words12,
          state.enabled ? ui.colors.text : ui.colors.text3,
          decoder      ? "Decoder text"
          : checkpoint ? "Second phrase"
                       : "Key phrase");
}

// One phrase over the whole width, with suggestions, and in a wide window the button for a second one.
void draw_one_phrase(Ui& ui, const Rect& area, const std::vector<std::string>& tokens, const Cuts& cuts) {
  Request& draft = ui.session.draft;
  const bool has_button = ImGui::GetIO().DisplaySize.x / ui.scale >= 1360;
  Rect boxes = area;
  Rect place;
  if (has_button) place = take_right(boxes, ui.px(132), ui.px(10));
  const Problem* problem = problem_of_phrase(ui, "phrase");
  PhraseBox box;
  box.name = "phrase";
  box.hint = "words, separated by blanks";
  box.tokens = cuts;
  box.query = marked_tokens(ui).query;
  box.key = marked_tokens(ui).key;
  box.picked = picked_tokens(ui).query;
  box.state.problem = problem != nullptr;
  const Rect field{boxes.min, {boxes.max.x, boxes.min.y + ui.px(34)}};
  take_suggestion(ui, draft.phrase);
  phrase_box(ui, field, draft.phrase, box);
  draw_suggestions(ui, field, draft.phrase);
  if (has_button) draw_second_phrase_button(ui, {place.min, {place.max.x, place.min.y + ui.px(34)}});
  // The chips and their fact use the width below the button too.
  draw_tokens_below(ui, {.name = "phrase",
                         .box = field,
                         .line = tokens_line(ui, area),
                         .tokens = tokens,
                         .problem = problem,
                         .edited = edited_token(ui, "phrase", cuts.get())});
}

}  // namespace

void draw_phrase_panel(Ui& ui, const Rect& area) {
  const float padding = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + padding, area.min.y + ui.px(6)}, {area.max.x - padding, area.max.y}};
  const Request& draft = ui.session.draft;
  if (comes_from_files(draft)) return draw_input_files(ui, inner);
  if (runs_capture(draft)) return draw_capture_names(ui, inner);

  const auto trace = ui.session.trace();
  static const std::vector<std::string> none;
  const auto& tokens = trace ? trace->inputs->tokens : none;
  const Cuts cuts = cuts_of(ui, "phrase", draft.phrase, {trace ? &trace->request.phrase : nullptr, cuts_of_first});
  if (draft.second_phrase) return draw_two_phrases(ui, inner, tokens, cuts);
  if (draft.key_phrase) return draw_key_phrase(ui, inner, tokens, cuts);
  if (draft.decoder_phrase) return draw_decoder_phrase(ui, inner);
  draw_one_phrase(ui, inner, tokens, cuts);
}

}  // namespace headscope::ui
