// Attention on the text itself: the words, shaded by the weights of one query, or of one key, of the chosen heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/ui/panel_data.h"
#include "app/ui/stage_facts.h"
#include "app/ui/ui.h"
#include "core/heads/image_patches.h"
#include "core/heads/text_weights.h"
#include "core/picture/text/text_flow.h"
#include "core/picture/text_weights_look.h"

namespace headscope::ui {

inline constexpr const char* kTextWords = "text/words";  // the control that has the words

// A text wrapped for the window. Made anew when the text, its room or the fonts change.
struct WrappedWords {
  std::uint64_t version = 0;  // of the PanelData
  bool of_keys = false;
  float width = 0, scale = 0;
  std::size_t letters = 0;  // characters of the atlas
  std::vector<TextToken> tokens;
  std::vector<float> widths;  // of each word with the room around it
  TextFlow flow;
};

// What the panel remembers.
struct TextPanelState {
  WrappedWords shaded, plain;            // the words that have weights; of two texts the other one's
  std::optional<std::int64_t> followed;  // the picked word that was scrolled into sight
  bool partner_waits = false;            // the other word of the pair is the strongest one, once it is known
  float explained_height = 0;            // of 'Where this number comes from', as it was drawn last
};

// What is shown in this frame.
struct TextShown {
  PanelData& data;
  Selection selection;
  TextWeightsRequest request;
  std::shared_ptr<const TextShades::Result> result;  // null, or without an answer: not known yet
  bool row = true;                                   // the words are keys, the picked one is a query
  bool one_text = true;                              // queries and keys are the same words
  bool large = false;                                // a long text: smaller words
  std::optional<ImagePatches> patches;               // of the image whose patches are the keys, or the queries

  // The numbers of the words; null while there are none for this text.
  const TextWeights* weights() const { return result != nullptr && result->answer ? &*result->answer : nullptr; }
  // The answer is the one to what is asked now.
  bool current() const { return weights() != nullptr && result->question.request == request; }
  // The colours of the pickable word and of its partner: query and key, or the other way round.
  Rgba own_color(const Ui& ui) const { return row ? ui.colors.query : ui.colors.key; }
  Rgba partner_color(const Ui& ui) const { return row ? ui.colors.key : ui.colors.query; }
  // The other word of the pair; -1: none.
  std::int64_t partner(const Ui& ui) const;
};

// Makes this word the picked query (of a column: key), or with `partner` the other end of the pair.
void pick_word(Ui& ui, const TextShown& shown, std::int64_t token, bool partner);

// text_controls.cpp: the header, and the line of heads below it.
void draw_text_header(Ui& ui, const TextShown& shown, const Rect& area);
// Returns the height.
float draw_text_heads(Ui& ui, const TextShown& shown, const Rect& area);

// text_words.cpp: the height of all lines in this width; the words, scrolled; mouse and keys.
float text_words_height(Ui& ui, const TextShown& shown, float width);
void draw_text_words(Ui& ui, const TextShown& shown, const Rect& area);

// text_image.cpp: the image in place of the words; mouse and keys.
void draw_text_image(Ui& ui, const TextShown& shown, const ImagePatches& patches, const Rect& area);

// text_facts.cpp: the colours of the words, with the range that is fixed for them or their own; colour bar and legend;
// the same weights head by head; the chosen pair with its sum.
WordColors word_colors(const Ui& ui, const TextWeights& weights);
void draw_text_legend(Ui& ui, const TextShown& shown, const Rect& area);
float text_bands_height(const Ui& ui, const TextShown& shown, float most);
void draw_text_bands(Ui& ui, const TextShown& shown, const Rect& area);
void draw_text_readout(Ui& ui, const TextShown& shown, const Rect& box);

}  // namespace headscope::ui
