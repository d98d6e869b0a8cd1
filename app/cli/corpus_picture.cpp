#include "app/cli/corpus_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/cli/head_argument.h"
#include "app/session/background/corpora.h"
#include "app/session/corpus_document.h"
#include "app/session/corpus_heads.h"
#include "app/session/corpus_recipe.h"
#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/corpus/head_search.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "core/picture/figure/corpus_figure.h"

namespace headscope::cli {
namespace {

const std::vector<std::string> kFormats = {"png", "svg", "pdf"}, kThemes = {"dark", "light", "contrast"};

// A mean that the table holds.
void take_mean(const Arguments& given, const char* option, const HeadTable& table, std::string& key) {
  if (!given.has(option)) return;
  key = given.get(option);
  if (table.mean_named(key)) return;
  std::vector<std::string> held;
  for (std::size_t mean = 0; mean < table.keys.size(); ++mean) {
    if (table.held[mean]) held.push_back(table.keys[mean]);
  }
  throw UsageError(option, "found " + key, fmt::format("one of {}", fmt::join(held, ", ")));
}

// "1,3": from 1, as they are called.
void take_axes(const Arguments& given, PointsView& points) {
  if (!given.has("axes")) return;
  const std::string text = given.get("axes");
  const std::size_t comma = text.find(',');
  const UsageError refused("axes", "found " + text, fmt::format("two of 1 to {}, such as 1,2", kReportedAxes));
  if (comma == text.npos) throw refused;
  try {
    points.x = whole_number("axes", text.substr(0, comma), 1, kReportedAxes) - 1;
    points.y = whole_number("axes", text.substr(comma + 1), 1, kReportedAxes) - 1;
  } catch (const UsageError&) {
    throw refused;
  }
}

// Where --vectors names some, the points of the head stand in place of its histograms.
void take_points(const Arguments& given, const CorpusRecord& record, CorpusView& corpus) {
  for (const char* option : {"axes", "points-color"}) {
    if (given.has(option) && !given.has("vectors")) {
      throw UsageError(option, "found without --vectors", "--vectors, whose points are drawn");
    }
  }
  if (!given.has("vectors")) return;
  if (given.has("cut")) throw UsageError("vectors", "found together with --cut", "one of them");
  const std::vector<std::string> kinds = {"query", "key", "value", "output"};
  const std::size_t kind = choice_of("vectors", given.get("vectors"), kinds);
  corpus.points.vectors = kinds[kind];
  if (record.facts.vector_sizes[kind] == 0) {
    throw UsageError("vectors", "found " + corpus.points.vectors + ", and the file has no such points",
                     "a file of scan --points");
  }
  take_axes(given, corpus.points);
  if (given.has("points-color")) {
    corpus.points.color =
        static_cast<PointColor>(choice_of("points-color", given.get("points-color"), {"token", "position"}));
  }
  corpus.side = CorpusSide::points;
}

CorpusView view_of(const Arguments& given, const CorpusContents& contents) {
  const HeadTable& table = *contents.table;
  ViewState view;
  show_corpus(view, given.positional);
  CorpusView& corpus = view.corpus;
  take_mean(given, "x", table, corpus.x);
  take_mean(given, "y", table, corpus.y);
  take_mean(given, "color", table, corpus.color);
  take_mean(given, "grid", table, corpus.grid);
  if (const auto head = head_argument(given, "head")) {
    if (!table.find(head->layer, head->head)) {
      throw UsageError("head", fmt::format("found {}", given.get("head")), "a head that was scanned");
    }
    corpus.head = Cell{head->layer, head->head};
  }
  if (given.has("choose")) {
    const HeadSearch search = search_heads(table, given.get("choose"));
    if (!search.problem.empty()) throw UsageError("choose", search.problem, "heads, as 5.1, 7.* or entropy < 1");
    corpus.find = given.get("choose");
    for (const std::size_t head : search.heads)
      corpus.chosen.push_back({table.heads[head].layer, table.heads[head].head});
  }
  take_points(given, *contents.record, corpus);
  if (given.has("cut")) {
    corpus.cut = finite_number("cut", given.get("cut"));
    if (!(corpus.cut >= 0 && corpus.cut <= 2)) throw UsageError("cut", "found " + given.get("cut"), "0 to 2");
    if (table.heads.size() > kMostClustered) {
      throw UsageError("cut", fmt::format("found with {} heads", table.heads.size()),
                       fmt::format("at most {} heads in one tree", kMostClustered));
    }
    corpus.side = CorpusSide::tree;
  }
  return corpus;
}

}  // namespace

bool is_picture_format(const std::string& format) {
  return std::find(kFormats.begin(), kFormats.end(), format) != kFormats.end();
}

std::vector<OptionSpec> corpus_picture_options() {
  return {{"x", "MEAN", "What grows to the right: a column of heads.csv (default distance)."},
          {"y", "MEAN", "What grows upwards (default max_weight)."},
          {"color", "MEAN", "What the colour of a point says (default entropy)."},
          {"grid", "MEAN", "What the colour of a cell says (default max_weight)."},
          {"head", "L.H", "The head whose histograms stand beside them (default the first)."},
          {"choose", "HEADS", "Heads to mark: 5.1, 7.*, like 5.1, or entropy < 1; with commas between.", true},
          {"cut", "DISTANCE", "Number the clusters of the tree of all heads, cut there: 0 to 2, 1 - cosine."},
          {"vectors", "query|key|value|output",
           "In place of its histograms the head's points on two of its principal axes, of a scan with points."},
          {"axes", "A,B", "Which axes, from 1: what grows to the right and upwards (default 1,2)."},
          {"points-color", "token|position", "What the colour of such a point says (default token)."},
          {"theme", "dark|light|contrast", "The colours (default dark)."},
          {"scale", "N", "How large everything is: 0.25 to 8 (default 1)."}};
}

std::string write_corpus_picture(const Arguments& given, const CancelToken& cancel) {
  const CorpusContents contents = corpus_contents({given.positional}, cancel);
  const CorpusView view = view_of(given, contents);
  const CorpusFigure figure = corpus_figure(contents, view);
  const auto theme = static_cast<Theme>(choice_of("theme", given.get("theme", kThemes.front()), kThemes));
  const ViewSpec spec = corpus_spec(view, theme, given.has("scale") ? finite_number("scale", given.get("scale")) : 1);
  const std::string name = "heads." + given.get("format");
  make_folder(given.get("out"));
  write_corpus_figure((std::filesystem::path(given.get("out")) / name).string(), figure, spec,
                      corpus_recipe({view, figure.fact}, spec), cancel);
  return name;
}

std::string write_corpus_figure(const std::string& target, const CorpusFigure& figure, const ViewSpec& spec,
                                const std::map<std::string, std::string>& recipe, const CancelToken& cancel) {
  const auto size = [](int width, int height) { return fmt::format("{} x {} pixels", width, height); };
  if (has_ending(target, ".png")) {
    const PictureRows picture = corpus_rows(figure, spec, cancel);
    write_file_atomically(target, [&](std::ostream& out) { write_png(out, picture, recipe, cancel, {}); });
    return size(picture.width, picture.height);
  }
  const FigureDocument document =
      has_ending(target, ".pdf") ? corpus_pdf(figure, spec, cancel) : corpus_svg(figure, spec, cancel);
  write_file_atomically(target, [&](std::ostream& out) { document.write(out, recipe, {}); });
  return size(document.width, document.height);
}

}  // namespace headscope::cli
