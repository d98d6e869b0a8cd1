#include "app/session/corpus_heads.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "core/base/grouped_digits.h"

namespace headscope {
namespace {

// The tree that the view asks for; null: of fewer than two heads, or of too many.
std::shared_ptr<const HeadTree> tree_of(const CorpusView& view, const HeadTable& table) {
  const std::vector<std::size_t> heads = clustered_of(view, table);
  if (heads.size() < 2 || heads.size() > kMostClustered) return nullptr;
  return std::make_shared<const HeadTree>(head_tree(table, heads));
}

// One a head of the table: its cluster, -1 outside of the tree.
std::vector<std::int64_t> clusters_of_heads(const HeadTree& tree, double cut, const HeadTable& table) {
  const std::vector<std::size_t> clusters = clusters_at(tree, cut);
  std::vector<std::int64_t> of(table.heads.size(), -1);
  for (std::size_t k = 0; k < tree.heads.size(); ++k) of[tree.heads[k]] = static_cast<std::int64_t>(clusters[k]);
  return of;
}

// The points that the view shows; nullopt: the record holds none of that kind.
std::optional<CorpusPointsFigure> points_figure(const CorpusContents& contents, const CorpusView& view) {
  const VectorKind kind = vector_kind_named(view.points.vectors).value_or(VectorKind::query);
  auto points = std::make_shared<HeadPoints>(head_points(*contents.record, picked_of(view, *contents.table), kind));
  if (points->axes() == 0) return std::nullopt;
  CorpusPointsFigure figure;
  figure.points = std::move(points);
  figure.x = static_cast<std::size_t>(view.points.x);
  figure.y = static_cast<std::size_t>(view.points.y);
  figure.by_position = view.points.color == PointColor::position;
  return figure;
}

}  // namespace

std::vector<std::size_t> chosen_of(const CorpusView& view, const HeadTable& table) {
  std::vector<std::size_t> heads;
  for (const LayerHead& head : view.chosen) {
    if (const auto at = table.find(head.layer, head.head)) heads.push_back(*at);
  }
  return heads;
}

std::size_t picked_of(const CorpusView& view, const HeadTable& table) {
  return view.head ? table.find(view.head->row, view.head->column).value_or(0) : 0;
}

std::vector<std::size_t> clustered_of(const CorpusView& view, const HeadTable& table) {
  if (view.clusters_of == ClustersOf::chosen) return chosen_of(view, table);
  const std::int64_t layer = table.heads[picked_of(view, table)].layer;
  std::vector<std::size_t> heads;
  for (std::size_t head = 0; head < table.heads.size(); ++head) {
    if (view.clusters_of == ClustersOf::all || table.heads[head].layer == layer) heads.push_back(head);
  }
  return heads;
}

std::string corpus_fact(const CorpusContents& contents) {
  const CorpusRecord& record = *contents.record;
  const std::string heads = grouped_count(std::ssize(contents.table->heads), "head");
  if (contents.headvis != nullptr) {
    return fmt::format(
        "{} of {}, from a folder that HeadVis shows: no counts of phrases and tokens, no digest of the model, no "
        "list that opens in the microscope",
        heads, record.facts.model);
  }
  const std::int64_t missing = record.facts.list_size - record.phrases - record.blank - record.unreadable;
  std::string fact = fmt::format("what {} of {} {} over {}, {}", heads, record.facts.model,
                                 contents.table->heads.size() == 1 ? "does" : "do",
                                 grouped_count(record.phrases, "phrase"), grouped_count(record.tokens, "token"));
  if (record.phrase_loss_tokens > 0) fact += fmt::format(" \u00b7 loss {:.3f} nats a token", mean_phrase_loss(record));
  if (record.unreadable > 0) fact += fmt::format(" \u00b7 {} could not be read", grouped_digits(record.unreadable));
  if (missing > 0) fact += fmt::format(" \u00b7 {} of the list are not in it", grouped_digits(missing));
  return fact;
}

CorpusFigure corpus_figure(const CorpusContents& contents, const CorpusView& view) {
  CorpusFigure figure;
  figure.table = contents.table;
  figure.record = contents.record;
  figure.title = std::filesystem::path(view.file).filename().string();
  figure.fact = corpus_fact(contents);
  figure.x = view.x;
  figure.y = view.y;
  figure.color = view.color;
  figure.grid = view.grid;
  figure.head = picked_of(view, *contents.table);
  figure.chosen = chosen_of(view, *contents.table);
  if (view.side == CorpusSide::points && contents.headvis == nullptr) figure.points = points_figure(contents, view);
  if (view.side != CorpusSide::tree) return figure;
  if (const auto tree = tree_of(view, *contents.table)) {
    figure.cluster = clusters_of_heads(*tree, view.cut, *contents.table);
    figure.tree = CorpusTreeFigure{tree, view.cut};
  }
  return figure;
}

}  // namespace headscope
