#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/bench_case.h"
#include "app/cli/bench_timing.h"
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/backend/backend.h"
#include "core/base/thread_pool.h"

namespace headscope::cli {

namespace {

constexpr std::int64_t kMostThreads = 1024;

struct BenchRow {
  BenchCase size;
  BenchTimes times;

  double gflops() const { return useful_operations(size) / times.median() / 1e9; }
};

std::vector<int> given_threads(const Arguments& given) {
  if (given.has("threads")) {
    const auto threads = static_cast<int>(whole_number("threads", given.get("threads"), 0, kMostThreads));
    return {threads == 0 ? hardware_threads() : threads};
  }
  return hardware_threads() == 1 ? std::vector<int>{1} : std::vector<int>{1, hardware_threads()};
}

std::string json_text(const std::vector<BenchRow>& rows, const Peaks& peaks) {
  nlohmann::ordered_json json;
  json["peak_gflops"] = peaks.rbegin()->second;
  for (const auto& [threads, gflops] : peaks) json["peaks"].push_back({{"threads", threads}, {"gflops", gflops}});
  for (const BenchRow& row : rows) {
    json["results"].push_back({{"size", row.size.text},
                               {"threads", row.times.threads},
                               {"mode", row.size.mode()},
                               {"median_s", row.times.median()},
                               {"min_s", row.times.min()},
                               {"gflops", row.gflops()},
                               {"share_of_peak", row.gflops() / peaks.at(row.times.threads)},
                               {"spread", row.times.spread()},
                               {"repetitions", row.times.seconds.size()}});
  }
  return json.dump(2) + "\n";
}

std::string bench_table(const std::vector<BenchRow>& rows, const Peaks& peaks) {
  std::string text;
  for (const auto& [threads, gflops] : peaks) {
    text += fmt::format("Peak of multiply-adds with {}, measured in this run: {:.1f} GFLOP/s\n",
                        counted(threads, "thread"), gflops);
  }
  std::vector<std::vector<std::string>> table = {
      {"size", "threads", "mode", "median ms", "min ms", "spread", "GFLOP/s", "share of peak"}};
  for (const BenchRow& row : rows) {
    table.push_back({row.size.text, std::to_string(row.times.threads), row.size.mode(),
                     fmt::format("{:.4f}", row.times.median() * 1e3), fmt::format("{:.4f}", row.times.min() * 1e3),
                     fmt::format("{:.0f} %", row.times.spread() * 100), fmt::format("{:.1f}", row.gflops()),
                     fmt::format("{:.1f} %", row.gflops() / peaks.at(row.times.threads) * 100)});
  }
  const Column number{true};
  return text + table_text({{}, number, {}, number, number, number, number, number}, table);
}

void bench(const Arguments& given, const CancelToken& cancel) {
  std::vector<BenchCase> sizes;
  const std::vector<std::string> texts = given.has("size") ? given.all("size") : usual_bench_sizes();
  for (const std::string& text : texts) sizes.push_back(bench_case_from("size", text));
  const std::vector<int> threads = given_threads(given);

  Peaks peaks;
  std::vector<BenchRow> rows;
  for (const BenchCase& size : sizes) {
    for (BenchTimes& times : bench_times(size, threads, peaks, cancel)) rows.push_back({size, std::move(times)});
  }
  print(given.has("json") ? json_text(rows, peaks) : bench_table(rows, peaks));
}

}  // namespace

Command bench_command() {
  CommandSpec spec;
  spec.name = "bench";
  spec.usage = "[--json] [--size B,S,INPUT_DIM,D_MODEL,HEADS,MASK | --size attn:S,HEADS,HEAD_DIM,MASK] [--threads N]";
  spec.summary =
      "Measures how fast this machine computes attention: useful GFLOP/s, and their share of the multiply-adds that it "
      "can do at all, measured in the same run.";
  OptionSpec size{"size", "B,S,INPUT_DIM,D_MODEL,HEADS,MASK|attn:S,HEADS,HEAD_DIM,MASK",
                  "A layer that returns every weight (attn: attention alone, weights not kept); several times for "
                  "several. Without it, eight usual sizes."};
  size.repeatable = true;
  spec.groups = {{"Measurement",
                  {size,
                   {"threads", "N", "Threads; 0 all cores. Without it, one thread and all cores."},
                   {"json", "", "As JSON."}}}};
  spec.examples = {"headscope-cli bench", "headscope-cli bench --size 1,64,768,768,12,causal --threads 1 --json",
                   "headscope-cli bench --size attn:4096,12,64,causal"};
  return {spec, bench};
}

}  // namespace headscope::cli
