#include "app/cli/routing_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/attention/layer_routing.h"
#include "core/io/csv.h"
#include "core/io/json_tensor.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"

namespace headscope::cli {
namespace {

struct NamedRows {
  const char* name;
  const char* corner;  // of its CSV
  Tensor rows;         // [batch, len, columns]
};

class RoutingFiles {
 public:
  RoutingFiles(const Trace& trace, const ExportPlan& plan, const CancelToken& cancel, FilesTogether& files)
      : trace_(trace), plan_(plan), cancel_(cancel), tokens_(trace.query_labels()), files_(files) {
    if (plan.csv_safe) tokens_ = safe_texts(std::move(tokens_));
  }

  std::vector<std::string> add_all(const std::vector<NamedRows>& all) {
    if (plan_.format == ExportFormat::safetensors) {
      std::vector<NamedTensorRef> refs;
      for (const NamedRows& each : all) refs.push_back({each.name, &each.rows});
      add("routing.safetensors", [&](std::ostream& out) {
        write_safetensors(out, refs, export_metadata({trace_, nullptr}), cancel_);
      });
    } else {
      for (const NamedRows& each : all) add_one(each);
    }
    cancel_.check();
    return names_;
  }

 private:
  void add(const std::string& name, const std::function<void(std::ostream&)>& write) {
    files_.add((std::filesystem::path(plan_.folder) / name).string(), write);
    names_.push_back(name);
  }

  void add_one(const NamedRows& each) {
    const std::string name = each.name;
    if (plan_.format == ExportFormat::npy) {
      add(name + ".npy", [&](std::ostream& out) { write_npy(out, each.rows, cancel_); });
    } else if (plan_.format == ExportFormat::json) {
      add(name + ".json", [&](std::ostream& out) { write_json_tensor(out, name, each.rows, cancel_); });
    } else if (plan_.format == ExportFormat::csv_long) {
      add(name + ".csv", [&](std::ostream& out) {
        write_csv_long(out,
                       {.holds = TableOf::vectors,
                        .layout = {.batch = 0, .head = -1, .rows = 1, .columns = 2},
                        .tensor = each.rows,
                        .region = whole(each.rows.shape()),
                        .row_names = tokens_},
                       cancel_);
      });
    } else {
      std::vector<std::string> columns;
      for (std::int64_t e = 0; e < each.rows.dim(2); ++e) columns.push_back(std::to_string(e));
      for (std::int64_t b = 0; b < each.rows.dim(0); ++b) {
        add(fmt::format("{}.b{}.csv", name, b), [&](std::ostream& out) {
          write_csv_matrix(out, matrix_at(each.rows, b, 0), each.corner, tokens_, columns, cancel_);
        });
      }
    }
  }

  const Trace& trace_;
  const ExportPlan& plan_;
  const CancelToken& cancel_;
  std::vector<std::string> tokens_, names_;
  FilesTogether& files_;
};

}  // namespace

RoutingChoice take_routing(std::string& list) {
  RoutingChoice choice;
  std::string rest;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, comma - begin);
    if (name == "router") {
      choice.router = true;
    } else if (name == "experts") {
      choice.experts = true;
    } else {
      rest += (rest.empty() ? "" : ",") + name;
    }
    begin = comma + 1;
  }
  if (choice.any()) list = rest;
  return choice;
}

std::vector<std::string> add_routing(const Trace& trace, const RoutingChoice& choice, const ExportPlan& plan,
                                     const CancelToken& cancel, FilesTogether& files) {
  const std::int64_t layer = trace.inputs->layer;
  if (trace.model == nullptr) check_has_experts(nullptr, layer);
  const Routing routing = layer_routing(*trace.model, layer, cancel);
  std::vector<NamedRows> all;
  if (choice.router) all.push_back({"router", "token\\expert", routing.probabilities});
  if (choice.experts) all.push_back({"experts", "token\\choice", routing.chosen});
  return RoutingFiles(trace, plan, cancel, files).add_all(all);
}

}  // namespace headscope::cli
