// What a picture of the heads of a scan shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/corpus/corpus_record.h"
#include "core/corpus/head_points.h"
#include "core/corpus/head_table.h"
#include "core/corpus/head_tree.h"
#include "core/picture/color_map.h"
#include "core/picture/palette.h"

namespace headscope {

// The points of the picked head on two of its principal axes, from 0, in place of its histograms.
struct CorpusPointsFigure {
  std::shared_ptr<const HeadPoints> points;  // with at least one axis
  std::size_t x = 0, y = 1;
  bool by_position = false;  // what colours say: the position; else the token
};

// The tree that the figure's clusters are of, in place of histograms.
struct CorpusTreeFigure {
  std::shared_ptr<const HeadTree> tree;  // of two heads or more
  double cut = 0.5;
};

struct CorpusFigure {
  std::shared_ptr<const HeadTable> table;
  std::shared_ptr<const CorpusRecord> record;  // of the same heads; its histograms are drawn where it has rows
  std::string title, fact;                     // the file; what it is of
  std::string x, y, color, grid;               // keys of the table's means; one that it lacks: its first
  std::size_t head = 0;                        // picked
  std::vector<std::size_t> chosen;             // marked heads
  std::vector<std::int64_t> cluster;           // one a head, from 0, -1 without one; empty: no clusters are shown
  std::optional<CorpusPointsFigure> points;
  std::optional<CorpusTreeFigure> tree;  // where there is one there are no `points`
  std::optional<ColorMap> map;           // nullopt: by theme
  Theme theme = Theme::dark;
  double scale = 1;  // of everything, 0.25 to 8
};

}  // namespace headscope
