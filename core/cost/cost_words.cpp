#include "core/cost/cost_words.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "core/base/grouped_digits.h"
#include "core/cost/cost_formula.h"
#include "core/cost/cost_size.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

constexpr double kMostDigits = 1e13;

struct Unit {
  double from, size;
  const char* name;
};

// In the last unit that is not larger than the number.
std::string in_units(double number, std::initializer_list<Unit> units) {
  const Unit* fitting = units.begin();
  for (const Unit& unit : units) {
    if (number >= unit.from) fitting = &unit;
  }
  return fmt::format("{:.3g} {}", number / fitting->size, fitting->name);
}

// "3.21", "1,024".
std::string short_text(double number) {
  return number < 1000 ? fmt::format("{:.3g}", number) : cost_count_text(number);
}

std::vector<std::string> amounts_row(std::string name, const CostAmounts& now) {
  const auto bytes = [](double number) { return number > 0 ? cost_bytes_text(number) : "-"; };
  return {std::move(name),     now.multiply_adds > 0 ? cost_count_text(now.multiply_adds) : "-",
          bytes(now.read),     bytes(now.written),
          intensity_text(now), bytes(now.cached)};
}

void add_limit(std::vector<std::string>& row, const CostAmounts& now, double seconds, const MachinePeaks* peaks) {
  if (peaks == nullptr) return;
  row.push_back(limit_text(now, *peaks));
  row.push_back(cost_seconds_text(seconds));
}

std::string model_sentence(const LayerCost& cost) {
  const auto layers = static_cast<double>(cost.layers);
  return fmt::format(
      "This is layer {} of the {} of the model. Were all of them of these sizes, their attention would take {} "
      "multiply-adds, read and write {}, and keep a cache of {}.",
      cost.layer, cost.layers, cost_count_text(layers * cost.now.multiply_adds),
      cost_bytes_text(layers * cost.now.bytes()), cost_bytes_text(layers * cost.now.cached));
}

std::string mask_sentence(const LayerCost& cost) {
  if (!cost.visible) return "Every query is counted with every key, also where a mask hides the key.";
  if (*cost.visible >= 1) return "";
  return fmt::format(
      "Every query is counted with every key, though the mask shows only {:.3g} % of these cells; the engine of this "
      "program leaves out most of the others.",
      100 * *cost.visible);
}

// The stages that are there without any work.
std::string free_sentence(const LayerCost& cost) {
  std::string names;
  for (const StageCost& stage : cost.stages) {
    if (!stage.now.any()) names += (names.empty() ? "" : ", ") + std::string(stage_name(stage.stage));
  }
  if (names.empty()) return "";
  return "At no cost, because they are given, show the numbers of another stage, or equal the stage before: " + names +
         ".";
}

void add_line(std::vector<CostLine>& lines, const char* name, const CostFormula& formula, double now, double twice) {
  if (now == 0 && twice == 0) return;
  lines.push_back({name, text_of(formula), cost_count_text(now), cost_count_text(twice),
                   now > 0 ? "×" + short_text(twice / now) : ""});
}

}  // namespace

std::string cost_count_text(double number) {
  if (number < kMostDigits) return grouped_digits(static_cast<std::int64_t>(std::llround(number)));
  return fmt::format("{:.5g}", number);
}

std::string cost_bytes_text(double bytes) {
  if (bytes < 1000) return fmt::format("{:.0f} bytes", bytes);
  const char* const units[] = {"KB", "MB", "GB", "TB", "PB"};
  int unit = -1;
  while (bytes >= 999.95 && unit < 4) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string intensity_text(const CostAmounts& amounts) {
  const std::optional<double> intensity = amounts.intensity();
  return intensity ? short_text(*intensity) : "-";
}

std::vector<CostLine> cost_lines(const CostFormulas& formulas, const CostAmounts& now, const CostAmounts& twice) {
  std::vector<CostLine> lines;
  add_line(lines, "multiply-adds", formulas.multiply_adds, now.multiply_adds, twice.multiply_adds);
  add_line(lines, "other operations", formulas.others, now.others, twice.others);
  add_line(lines, "bytes read", formulas.read, now.read, twice.read);
  add_line(lines, "bytes written", formulas.written, now.written, twice.written);
  if (now.bytes() > 0) {
    const double ratio = now.operations() > 0 ? *twice.intensity() / *now.intensity() : 1;
    lines.push_back({"operations per byte", "operations / bytes", intensity_text(now), intensity_text(twice),
                     "×" + short_text(ratio)});
  }
  add_line(lines, "bytes of the cache", formulas.cached, now.cached, twice.cached);
  return lines;
}

CostTable cost_table(const LayerCost& cost, const MachinePeaks* peaks) {
  CostTable table = {{"stage", "multiply-adds", "read", "written", "ops/byte", "cache"}};
  if (peaks != nullptr) table.front().insert(table.front().end(), {"limited by", "at peak"});
  for (const StageCost& stage : cost.stages) {
    if (!stage.now.any()) continue;
    table.push_back(amounts_row(std::string(stage_name(stage.stage)), stage.now));
    add_limit(table.back(), stage.now, peaks != nullptr ? seconds_at_peak(stage.now, *peaks) : 0, peaks);
  }
  table.push_back(amounts_row("layer", cost.now));
  add_limit(table.back(), cost.now, peaks != nullptr ? seconds_at_peak(cost, *peaks) : 0, peaks);
  if (!cost.now.has_scores()) return table;
  const CostAmounts now = in_one_pass(cost.now);
  table.push_back(amounts_row("in one pass", now));
  add_limit(table.back(), now, peaks != nullptr ? seconds_at_peak(now, *peaks) : 0, peaks);
  return table;
}

CostTable cost_size_table(const LayerCost& cost) {
  CostTable table = {{"size", "here", "twice as long", "meaning"}};
  for (const UsedCostSize& used : cost.sizes) {
    const CostSizeInfo& info = cost_size_info(used.size);
    table.push_back(
        {std::string(info.symbol), cost_count_text(used.now), cost_count_text(used.twice), std::string(info.meaning)});
  }
  return table;
}

std::vector<std::string> cost_sentences(const LayerCost& cost) {
  std::vector<std::string> sentences = {
      "Each stage is counted as if it ran alone: it reads once from memory what it needs and writes its result once. "
      "Weights have the bytes of their numbers in memory; every other number is a float32 of 4 bytes.",
      "An operation is a floating-point operation: 2 for a multiply-add, 1 for an exp, a tanh, a division, a "
      "comparison or an addition. A bias is where a sum of products begins, and adds none. Operations per byte are the "
      "arithmetic intensity.",
      "The cache is what a generation keeps for the tokens to come: keys and values, or the latents of a model that "
      "has them."};
  if (cost.now.has_scores()) {
    sentences.push_back(
        "In one pass, as FlashAttention and this program compute, scores and weights do not go through memory.");
  }
  const std::string of_mask = mask_sentence(cost);
  if (!of_mask.empty()) sentences.push_back(of_mask);
  sentences.push_back(
      "Not counted: the MLP, the norms before and after the layer, embeddings, which keys a mask hides, which weights "
      "dropout keeps, and what is changed by hand.");
  const std::string free = free_sentence(cost);
  if (!free.empty()) sentences.push_back(free);
  if (cost.of_model && cost.layers > 1) sentences.push_back(model_sentence(cost));
  return sentences;
}

std::string peaks_sentence(const MachinePeaks& peaks) {
  return fmt::format(
      "Measured now on {}, this machine's processor computes {:.1f} GFLOP/s in multiply-adds of float32 and moves "
      "{:.1f} GB/s of memory: below {:.3g} operations per byte memory is the limit, from there on arithmetic. What "
      "fits into the caches can be faster than at peak.",
      grouped_count(peaks.threads, "thread"), peaks.operations / 1e9, peaks.bytes / 1e9, peaks.ridge());
}

std::string limit_text(const CostAmounts& amounts, const MachinePeaks& peaks) {
  const CostLimit limit = limit_of(amounts, peaks);
  return limit == CostLimit::none ? "-" : limit == CostLimit::memory ? "memory" : "arithmetic";
}

std::string cost_seconds_text(double seconds) {
  if (seconds == 0) return "-";
  return in_units(seconds, {{0, 1e-9, "ns"}, {1e-6, 1e-6, "us"}, {1e-3, 1e-3, "ms"}, {1, 1, "s"}});
}

}  // namespace headscope
