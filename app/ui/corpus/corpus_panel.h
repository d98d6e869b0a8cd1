// What every head does over a list of phrases: a plane and a grid of heads, one head's histograms, its examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/corpora.h"
#include "app/ui/ui.h"
#include "core/picture/plot_axis.h"

namespace headscope::ui {

inline constexpr const char *kCorpusScatter = "corpus/scatter", *kCorpusGrid = "corpus/grid",
                            *kCorpusExamples = "corpus/examples";  // the controls that take arrows
inline constexpr const char* kCorpusListPurpose = "corpus list";   // of a file that is chosen

// The points of the plane, laid out once for what they depend on.
struct CorpusPlot {
  std::shared_ptr<const HeadTable> table;
  std::string x, y, color;
  float width = 0, height = 0;
  PlotAxis x_axis, y_axis;
  PlotPoints points;
};

// The words of an example in one line: pieces with their places, left out ones as "…".
struct ExampleLine {
  struct Piece {
    std::int64_t token = -1;  // -1: the ellipsis
    std::string words;
    float x = 0, width = 0;
  };
  std::vector<Piece> pieces;
};
struct ExampleLines {
  std::shared_ptr<const CorpusPhrases::Result> of;
  float width = 0;
  std::vector<ExampleLine> lines;
};

// What the panel remembers.
struct CorpusPanelState {
  std::shared_ptr<const Corpora::Result> last;  // shown until another one is known
  CorpusPlot plot;
  int plots_made = 0;    // so many times the points were laid out
  int cells_drawn = 0;   // of the grid, in the last frame
  int points_drawn = 0;  // of the plane
  ExampleLines lines;
  std::optional<std::size_t> hovered, next_hovered;  // head under the mouse, in the plane or the grid
  std::string words;                                 // of the examples, for the font atlas
  void add_text(std::string& all) const { all += words; }
};

// Whether something that examples need is at hand.
enum class AtHand { yes, no, not_known_yet };

// What is shown in this frame.
struct CorpusShown {
  std::shared_ptr<const CorpusRecord> record;
  std::shared_ptr<const HeadTable> table;
  std::size_t head = 0;     // picked
  std::size_t example = 0;  // picked; no less than the examples where there are none
  // The list of phrases: its path, and why it is not at hand.
  std::string list, list_problem;
  AtHand has_list = AtHand::no;
  std::shared_ptr<const PhraseList> phrases;
  std::string model, model_problem;
  AtHand has_model = AtHand::no;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const CorpusPhrases::Result> texts;  // of the picked head; null, or without an answer: none
  std::shared_ptr<const HeadsLikeOne::Result> among;   // null: not known yet

  const HeadRecord& picked() const { return record->heads[head]; }
  std::string name_of(std::size_t index) const;  // "5.1"
};

// corpus_data.cpp: what is asked of the background; the record has heads.
CorpusShown corpus_shown(Ui& ui, const CorpusContents& contents);
void pick_head(Ui& ui, const CorpusShown& shown, std::size_t head);
// Arrows, Enter of the plane and of the grid, which have the focus.
void read_head_keys(Ui& ui, const CorpusShown& shown);
// The picked example in the microscope, as a document; where something is missing a notice says what.
void open_example(Ui& ui, const CorpusShown& shown);
// Why the picked example cannot be opened now; "" when it can.
std::string example_obstacle(const CorpusShown& shown);

// Of a mean, by its index in all_head_means(): "max weight"; "bits", "tokens", "nats" or "".
std::string mean_words(std::size_t mean);
const char* mean_unit(std::size_t mean);
// "0.943", "12.4"; "none" where there is no value.
std::string mean_text(double value);
// A combo of all means that the scan asked for; `key` is one of HeadMean::key.
void mean_combo(Ui& ui, const HeadTable& table, const std::string& name, const Rect& rect, std::string& key,
                const char* tooltip);
// The mean of that name, or the first one where this scan did not ask for it.
std::size_t shown_mean(const HeadTable& table, const std::string& key);

// Each in the file of its name.
void draw_corpus_scatter(Ui& ui, const CorpusShown& shown, const Rect& area);
void draw_corpus_grid(Ui& ui, const CorpusShown& shown, const Rect& area);
float corpus_grid_height(const Ui& ui, const CorpusShown& shown);  // with the largest cells
void draw_corpus_head(Ui& ui, const CorpusShown& shown, const Rect& area);
void draw_corpus_examples(Ui& ui, const CorpusShown& shown, const Rect& area);

void draw_corpus_panel(Ui& ui, const Rect& area);
std::string corpus_focus(const Ui& ui);

// What the commands do: `path` is the list of the phrases, "" asks for one.
void choose_corpus_list(Ui& ui, const std::string& path);
void copy_corpus_table(Ui& ui);

}  // namespace headscope::ui
