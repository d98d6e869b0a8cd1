// What a layer costs, in words and tables: the same for the terminal, the window and the manifest.
#pragma once

#include <string>
#include <vector>

#include "core/cost/layer_cost.h"
#include "core/cost/machine_peaks.h"

namespace headscope {

// "12,800", "1.2346e+19": all digits up to 13 of them.
std::string cost_count_text(double number);
// "312 bytes", "4.1 KB", "1.2 TB"; 1 KB is 1000 bytes.
std::string cost_bytes_text(double bytes);
// "3.21", "1,024": operations for each byte that is read or written; "-" where no byte is.
std::string intensity_text(const CostAmounts& amounts);

// One count with all that is known of it.
struct CostLine {
  std::string name;     // "multiply-adds", "bytes read"
  std::string formula;  // "B·H·Q·K·D"; of operations per byte what is divided
  std::string here;     // "65,536"
  std::string twice;    // of a text that is twice as long: "262,144"
  std::string factor;   // twice / here: "×4"; "" where nothing is here
};
// Multiply-adds, other operations, bytes read and written, operations per byte, bytes of the cache: those that are not
// 0.
std::vector<CostLine> cost_lines(const CostFormulas& formulas, const CostAmounts& now, const CostAmounts& twice);

// Rows of cells; the first one is the heading.
using CostTable = std::vector<std::vector<std::string>>;

// A row for each stage that costs something, then the layer, and the layer in one pass where it has scores:
// multiply-adds, bytes read and written, operations per byte, bytes of the cache. With peaks also what limits it on
// this machine, and the time that it takes at the peaks.
CostTable cost_table(const LayerCost& cost, const MachinePeaks* peaks);
// The sizes that the formulas name: symbol, number, that of a text that is twice as long, meaning.
CostTable cost_size_table(const LayerCost& cost);

// Returns sentences that say what is counted and what is not.
std::vector<std::string> cost_sentences(const LayerCost& cost);

// "Measured now on 2 threads, this machine computes ...": the peaks, and what follows from them.
std::string peaks_sentence(const MachinePeaks& peaks);

// "arithmetic", "memory", "-".
std::string limit_text(const CostAmounts& amounts, const MachinePeaks& peaks);
// "12.5 ms", "310 ns", "-" of none.
std::string cost_seconds_text(double seconds);

}  // namespace headscope
