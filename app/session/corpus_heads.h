// What the corpus view shows, without the window: the heads that are chosen, those of the tree, words, a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/session/background/corpora.h"
#include "app/session/view_state.h"
#include "core/picture/figure/corpus_figure.h"

namespace headscope {

// The chosen heads that the table has, by their indices, increasing.
std::vector<std::size_t> chosen_of(const CorpusView& view, const HeadTable& table);
// The picked head; the first where it has none.
std::size_t picked_of(const CorpusView& view, const HeadTable& table);
// The heads that the tree is made of, however many.
std::vector<std::size_t> clustered_of(const CorpusView& view, const HeadTable& table);

// "what 16 heads of demo:pronouns do over 20,000 phrases, 155,000 tokens", and what is missing; of HeadVis's folder
// what it lacks.
std::string corpus_fact(const CorpusContents& contents);

// The picture of what the view shows, clusters included while it shows the tree.
CorpusFigure corpus_figure(const CorpusContents& contents, const CorpusView& view);

}  // namespace headscope
