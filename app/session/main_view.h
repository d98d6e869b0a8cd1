// The views that take the room beside the Request and under the phrase, and what files call them. What the window
// does with each is a row of main_views() in app/ui/main_view.h.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/picture/view_spec.h"

namespace headscope {

enum class MainView {
  layer,        // one layer: pipeline, heads, concat, inspector
  layers,       // all layers and heads of a model
  follow,       // one token through the stages, with what feeds its number at each
  script,       // the computation as code
  bug_lab,      // the request with and without known mistakes
  mask,         // the mask, painted by hand
  compare,      // a pinned result beside the current one
  sensitivity,  // what a number depends on
  weights,      // the tensors of the layer's weights
  text,         // attention on the words of the text
  lens,         // what a model would say after every layer, and who made a logit
  sweep,        // what becomes of a metric when one part after the other takes numbers of the pinned result
  gradients,    // what every attention weight of every head does to a number
  score,        // why a head looks there: who wrote what its query and its key meet in
  circuits,     // what heads can do with each other and with tokens, from weights alone
  scatter,      // a head's queries and keys as points of a plane
  generate,     // how a model goes on with the text, a token at a time
  corpus,       // what every head does over the phrases of a list, as a scan has counted it
};

struct MainViewWord {
  MainView view;
  const char* word;                      // in settings and session files
  std::optional<ViewKind> picture = {};  // a picture file of this kind opens in the view
};

// One row a view, in the order of the enumerators.
inline constexpr auto kMainViewWords = std::to_array<MainViewWord>({
    {MainView::layer, "layer"},
    {MainView::layers, "layers", ViewKind::layers},
    {MainView::follow, "follow"},
    {MainView::script, "script"},
    {MainView::bug_lab, "bug_lab"},
    {MainView::mask, "mask"},
    {MainView::compare, "compare", ViewKind::difference},
    {MainView::sensitivity, "sensitivity", ViewKind::sensitivity},
    {MainView::weights, "weights"},
    {MainView::text, "text", ViewKind::text},
    {MainView::lens, "lens", ViewKind::lens},
    {MainView::sweep, "sweep", ViewKind::sweep},
    {MainView::gradients, "gradients"},
    {MainView::score, "score", ViewKind::score},
    {MainView::circuits, "circuits", ViewKind::composition},
    {MainView::scatter, "scatter", ViewKind::scatter},
    {MainView::generate, "generate"},
    {MainView::corpus, "corpus"},
});
static_assert(
    [] {
      for (std::size_t k = 0; k < kMainViewWords.size(); ++k) {
        if (kMainViewWords[k].view != static_cast<MainView>(k)) return false;
      }
      return true;
    }(),
    "main_view_word() and state_json find a row by its place");

// What files call the view: "bug_lab".
constexpr const char* main_view_word(MainView view) {
  return kMainViewWords[static_cast<std::size_t>(view)].word;
}

// The view in which a picture file of this kind opens: `layer` where no other view has it.
constexpr MainView main_view_of_picture(ViewKind picture) {
  for (const MainViewWord& row : kMainViewWords) {
    if (row.picture == picture) return row.view;
  }
  return MainView::layer;
}

}  // namespace headscope
