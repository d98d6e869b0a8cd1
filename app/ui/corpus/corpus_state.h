// What the corpus view remembers between frames: what was laid out or made once, and what the mouse does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/corpora.h"
#include "app/session/view_state.h"
#include "core/corpus/head_search.h"
#include "core/picture/lasso.h"
#include "core/picture/plot_axis.h"

namespace headscope::ui {

// The points of the plane, laid out once for what they depend on.
struct CorpusPlot {
  std::shared_ptr<const HeadTable> table;
  std::string x, y, color;
  float width = 0, height = 0;
  PlotAxis x_axis, y_axis;
  PlotPoints points;
};

// The names beside the points of the plane, placed once for what they depend on.
struct PointNames {
  struct Name {
    std::size_t head = 0;
    bool marked = false;  // of the picked head, or of a chosen one
    float x = 0, middle = 0, width = 0;
  };
  std::shared_ptr<const HeadTable> table;
  std::string x, y;
  float width = 0, height = 0, pixel = 0;
  std::size_t head = 0;
  bool tree = false;
  std::vector<std::size_t> chosen;
  std::vector<Name> names;
};

// The words of an example in one line: pieces with their places, left out ones as "…".
struct ExampleLine {
  struct Piece {
    std::int64_t token = -1;  // -1: the ellipsis
    std::string words;
    float x = 0, width = 0;
    float weight = -1;  // of the query's row at this token; negative: not known
  };
  std::vector<Piece> pieces;
};
struct ExampleLines {
  std::shared_ptr<const CorpusPhrases::Result> of;
  float width = 0;
  std::vector<ExampleLine> lines;
};

// The chosen heads that the table has, made once for both.
struct ChosenHeads {
  std::shared_ptr<const HeadTable> table;
  std::vector<LayerHead> of;
  std::vector<std::size_t> heads;  // indices, increasing
  std::vector<bool> is;            // one a head of the table
};

// What the text of the field finds, made once for it.
struct FoundHeads {
  std::shared_ptr<const HeadTable> table;
  std::string text;
  HeadSearch search;
};

// The tree with its clusters and the places of its nodes, made once for the tree and the cut.
struct ShownTree {
  std::shared_ptr<const HeadTrees::Result> of;
  double cut = 0;
  std::size_t clusters = 0;
  std::vector<std::size_t> cluster;       // one a head of the tree, from 0
  std::vector<std::int64_t> of_head;      // one a head of the table: its cluster; -1: it is not in the tree
  std::vector<float> place;               // one a node: its place across the tree, in leaves
  std::vector<std::size_t> node_cluster;  // one a node: its cluster; `clusters`: it is cut
};

// A weight of a row.
struct TokenWeight {
  std::int64_t token = 0;
  float weight = 0;
};

// A head of HeadVis's folder as the examples of a scan are shown.
struct HeadVisExamples {
  std::shared_ptr<const HeadVisHeads::Result> of;
  std::vector<CorpusExample> examples;         // `phrase` is the interval
  std::vector<std::vector<TokenWeight>> rows;  // of each example's query: what the folder has, by token
  std::shared_ptr<const CorpusPhrases::Result> texts;
};

// The rows that were drawn for each tenth of the largest weight, the last tenth first; made once for the head.
struct ExamplesByTenths {
  std::shared_ptr<const CorpusRecord> record;
  std::size_t head = 0;
  std::vector<CorpusExample> examples;
};

// The points of the picked head, laid out once for what they depend on.
struct PointsPlot {
  std::shared_ptr<const PointsOfHead::Result> of;
  PointsView look;  // the picked point apart
  float width = 0, height = 0;
  PlotAxis x_axis, y_axis;
  PlotPoints points;
  std::vector<std::size_t> by_x, by_y;  // all points, as the arrows go through them
};

// Which tokens of the points have a colour of their own.
struct PointTokens {
  std::shared_ptr<const CorpusRecord> record;
  std::vector<PointToken> tokens;
  std::vector<std::int64_t> of;  // token_of_points()
  std::int64_t last_position = 0;
};

// What the panel remembers.
struct CorpusPanelState {
  std::shared_ptr<const Corpora::Result> last;  // shown until another one is known
  CorpusPlot plot;
  PointNames names;
  int names_made = 0;    // so many times names were placed
  int plots_made = 0;    // so many times the points were laid out
  int cells_drawn = 0;   // of the grid, in the last frame
  int points_drawn = 0;  // of the plane
  ExampleLines lines;
  ChosenHeads chosen;
  FoundHeads found;
  ShownTree tree;
  HeadVisExamples headvis;
  ExamplesByTenths tenths;
  std::vector<PlanePoint> lasso;  // the line that is being drawn: pixels from the corner of the plane
  bool moves_cut = false;         // the mouse holds the line that cuts the tree
  std::optional<std::size_t> hovered, next_hovered;  // head under the mouse, in the plane or the grid
  PointsPlot points_plot;
  int points_laid_out = 0;
  PointTokens point_tokens;
  std::optional<std::size_t> hovered_point;  // under the mouse
  std::optional<std::size_t> opens_point;    // that is opened once its phrase is read
  std::string words, point_words;            // of the examples and of the points, for the font atlas
  void add_text(std::string& all) const { all += words + point_words; }
};

}  // namespace headscope::ui
