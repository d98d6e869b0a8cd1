// What every head does over a list of phrases: a plane and a grid of heads, one head's histograms, its examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/background/corpora.h"
#include "app/session/documents.h"
#include "app/session/view_state.h"
#include "app/ui/corpus/corpus_state.h"
#include "app/ui/ui.h"
#include "app/ui/widgets/widgets.h"
#include "core/corpus/mean_words.h"
#include "core/picture/plot_axis.h"

namespace headscope::ui {

inline constexpr const char *kCorpusScatter = "corpus/scatter", *kCorpusGrid = "corpus/grid",
                            *kCorpusExamples = "corpus/examples", *kCorpusTree = "corpus/tree",
                            *kCorpusChosen = "corpus/chosen",
                            *kCorpusPoints = "corpus/points";  // the controls that take arrows
inline constexpr const char* kCorpusFind = "corpus/find";
inline constexpr const char* kCorpusListPurpose = "corpus list";  // of a file that is chosen

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
  std::shared_ptr<const CorpusPhrases::Result> texts;           // of the picked head; null, or without an answer: none
  std::shared_ptr<const HeadsLikeOne::Result> among;            // null: not known yet
  const std::vector<CorpusExample>* examples = nullptr;         // of the picked head; never null
  const std::vector<std::vector<TokenWeight>>* rows = nullptr;  // of each example; null: its strongest weight alone
  bool by_tenths = false;                                       // the examples are those of the tenths
  const ChosenHeads* chosen = nullptr;                          // never null
  // Of HeadVis's folder: what config.json says, and the file of the picked head (null: not read yet).
  std::shared_ptr<const HeadVisTree> headvis;
  std::shared_ptr<const HeadVisHeads::Result> headvis_head;
  // While the side shows it: null until there is one, and where `tree_problem` says why there cannot be one.
  const ShownTree* tree = nullptr;
  std::string tree_problem;
  // While the side shows them: the points of the picked head and kind (null: not known yet, or none are held), the
  // picked point, and its phrase (null: not read yet).
  VectorKind point_kind = VectorKind::query;
  std::shared_ptr<const PointsOfHead::Result> points;
  std::size_t point = 0;
  std::shared_ptr<const CorpusPointPhrases::Result> point_phrase;

  const HeadRecord& picked() const { return record->heads[head]; }
  std::string name_of(std::size_t index) const;  // "5.1"
};

// corpus_scatter.cpp: the ground of a plane, its ticks with their numbers, and the titles of both axes.
struct PlaneAxes {
  const PlotAxis &x, &y;
  std::string x_title, y_title;
  float left = 0;         // of the title beside the plane, in pixels
  float title_width = 0;  // pixels at 1x that the numbers beside the plane leave to it
  float gap = 0;          // between these numbers and the plane, pixels at 1x
};
void draw_plane_axes(Ui& ui, const PlaneAxes& axes, const Rect& plot);

// corpus_names.cpp: where a head's point lies, also of one that another point covers; nullopt: it has none. The names
// of as many heads as fit beside their points, and of that under the mouse.
std::optional<ImVec2> head_place(const CorpusShown& shown, const CorpusPlot& made, const Rect& plot, std::size_t head);
void draw_point_names(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot);

// corpus_data.cpp: what is asked of the background; the record has heads.
CorpusShown corpus_shown(Ui& ui, const CorpusContents& contents);
void pick_head(Ui& ui, const CorpusShown& shown, std::size_t head);
// Arrows, Enter of the plane and of the grid, which have the focus.
void read_head_keys(Ui& ui, const CorpusShown& shown);
// The picked example in the microscope, as a document; where something is missing a notice says what.
void open_example(Ui& ui, const CorpusShown& shown);
void open_in_microscope(Ui& ui, const Document& document);
// Why the picked example cannot be opened now; "" when it can.
std::string example_obstacle(const CorpusShown& shown);

// The same of a point of the picked head, which becomes the picked one: once its phrase is read.
void open_point(Ui& ui, const CorpusShown& shown, std::size_t point);
// Opens the point that waits for its phrase.
void open_waiting_point(Ui& ui, const CorpusShown& shown);

// "0.943", "12.4"; "none" where there is no value.
std::string mean_text(double value);
// A combo of all means that the scan asked for; `key` is one of HeadTable::keys.
void mean_combo(Ui& ui, const HeadTable& table, const std::string& name, const Rect& rect, std::string& key,
                const char* tooltip);
// The mean of that name, or the first one where this scan did not ask for it.
std::size_t shown_mean(const HeadTable& table, const std::string& key);

// corpus_chosen.cpp: the set of heads that the user chose; the chosen ones of this table.
const ChosenHeads& chosen_heads(Ui& ui, const std::shared_ptr<const HeadTable>& table);
// These heads, by their indices, in place of those chosen before or beside them. Two or more are listed at the side.
void choose_heads(Ui& ui, const CorpusShown& shown, std::vector<std::size_t> heads, bool beside);
void toggle_head(Ui& ui, const CorpusShown& shown, std::size_t head);
void forget_chosen(Ui& ui);
// The field that finds heads, and what is wrong with its text; "" where nothing is.
void draw_corpus_find(Ui& ui, const CorpusShown& shown, const Rect& rect);
std::string find_corpus_problem(Ui& ui, const std::shared_ptr<const HeadTable>& table);
void draw_corpus_chosen(Ui& ui, const CorpusShown& shown, const Rect& area);

// corpus_lasso.cpp: reads the line that is drawn around points, and draws it; true where the mouse has just ended one.
bool read_lasso(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot, const Interaction& it);
void draw_lasso(Ui& ui, const Rect& plot);

// corpus_tree_data.cpp: the tree of the heads that the view asks for; the number of a head's cluster, "" without one.
void find_tree(Ui& ui, CorpusShown& shown);
// A cut that leaves one cluster more, or one less.
double next_cut(const HeadTree& tree, double cut, bool more);
std::string cluster_of(const CorpusShown& shown, std::size_t head);
Rgba cluster_color(const CorpusShown& shown, std::size_t head);
// corpus_tree.cpp
void draw_corpus_tree(Ui& ui, const CorpusShown& shown, const Rect& area);

// corpus_headvis_open.cpp: why the picked sequence cannot be opened now, "" when it can; and that, on a model that has
// the folder's heads: a notice says so where its tokens are none of the model's.
void find_headvis_model(Ui& ui, CorpusShown& shown);
std::string headvis_obstacle(const CorpusShown& shown);
void open_sequence(Ui& ui, const CorpusShown& shown);

// corpus_headvis.cpp: what the folder says of the picked head, put where a scan's answers are.
void find_headvis(Ui& ui, CorpusShown& shown);
float headvis_plots_height(const Ui& ui, const CorpusShown& shown);
void draw_headvis_plots(Ui& ui, const CorpusShown& shown, const Rect& area, float& y);

// corpus_head.cpp: the title of a section of the side, and a fact at its right end, as far as there is room.
void draw_section_title(Ui& ui, const Rect& line, const std::string& title, const std::string& fact);
// A section of heads that are like the picked one, as chips that pick them; moves y down, by
// head_chips_height(), of the same or a smaller width. As many stand in a row as their names and cosines have room.
struct HeadChips {
  std::string title, fact, name;                    // `name`: of the controls, before that of the head
  const std::vector<SimilarHead>* heads = nullptr;  // null: not known yet
};
void draw_head_chips(Ui& ui, const CorpusShown& shown, const HeadChips& chips, const Rect& area, float& y);
float head_chips_height(Ui& ui, const CorpusShown& shown, const std::vector<SimilarHead>* heads, float width);

// corpus_tokens.cpp: lines with a token, a bar and a number each, the largest first; moves y down, by
// token_table_height(). Then which tokens the picked head's rows come from and point at; nothing where the file says
// none.
struct TokenLine {
  std::string token;
  double value = 0;
  std::string words;  // what stands for the value
};
void draw_token_table(Ui& ui, const std::string& title, const std::string& fact, const std::vector<TokenLine>& lines,
                      const Rect& area, float& y);
float token_table_height(const Ui& ui, std::size_t lines);
void draw_corpus_tokens(Ui& ui, const CorpusShown& shown, const Rect& area, float& y);
float corpus_tokens_height(const Ui& ui, const CorpusShown& shown);

// corpus_pattern.cpp: the picked head's mean pattern, and the heads whose pattern is like it; nothing where the file
// has none.
void draw_corpus_pattern(Ui& ui, const CorpusShown& shown, const Rect& area, float& y);
float corpus_pattern_height(Ui& ui, const CorpusShown& shown, float width);

// Each in the file of its name.
void draw_corpus_scatter(Ui& ui, const CorpusShown& shown, const Rect& area);
void draw_corpus_grid(Ui& ui, const CorpusShown& shown, const Rect& area);
float corpus_grid_height(const Ui& ui, const CorpusShown& shown);  // with the largest cells
void draw_corpus_head(Ui& ui, const CorpusShown& shown, const Rect& area);
void draw_corpus_points(Ui& ui, const CorpusShown& shown, const Rect& area);
// corpus_points_plane.cpp: the plane; its ticks and names stand between `left` and it. The token of a point, to be
// read; which tokens have a colour.
void draw_points_plane(Ui& ui, const CorpusShown& shown, const Rect& plot, float left);
std::string point_name(const CorpusShown& shown, std::size_t point);
const PointTokens& point_tokens(Ui& ui, const CorpusShown& shown);
// A histogram with its title, its bars and the edges of its bins; moves y down, by histogram_height().
struct HistogramLook {
  std::string name, fact, mean;      // in the title
  std::span<const double> own, all;  // shares of the bins: filled, and as a line (empty: none)
  std::span<const double> edges;     // one more than bins
};
void draw_histogram(Ui& ui, const HistogramLook& look, const Rect& area, float& y);
float histogram_height(const Ui& ui);
double tallest_bin(std::span<const double> own, std::span<const double> all);
// corpus_lines.cpp: the phrase of an example, null where there is none, or none yet; the words of all, made once for
// their texts and the width.
const CorpusPhrase* example_phrase(const CorpusShown& shown, std::size_t example);
const ExampleLines& example_lines(Ui& ui, const CorpusShown& shown, float width);
void draw_corpus_examples(Ui& ui, const CorpusShown& shown, const Rect& area);
// corpus_source.cpp: the line above them; returns the y below.
float draw_examples_source(Ui& ui, const CorpusShown& shown, const Rect& area);

void draw_corpus_panel(Ui& ui, const Rect& area);
std::string corpus_focus(const Ui& ui);

// What the commands do: `path` is the list of the phrases, "" asks for one.
void choose_corpus_list(Ui& ui, const std::string& path);
void copy_corpus_table(Ui& ui);

}  // namespace headscope::ui
