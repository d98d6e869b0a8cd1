// What the tests of exports write: a small causal request whose tokens need quoting, and where it goes; and CSV files
// read back.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/engine.h"
#include "core/export/export_stages.h"
#include "core/request/request.h"

namespace headscope::test {

inline Request small_request() {
  Request request;
  request.phrase = "one, \"two\" three";
  request.d_model = 12;
  request.heads = 3;
  request.seed = 5;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

inline std::shared_ptr<const Trace> trace_of(const Request& request) {
  Engine engine;
  return engine.run(request, {});
}

inline ExportPlan plan_of(const std::string& folder, ExportFormat format, std::vector<StageId> stages = {}) {
  ExportPlan plan;
  plan.folder = folder;
  plan.format = format;
  plan.stages = std::move(stages);
  return plan;
}

// RFC 4180, as a reader of the files would do it.
inline std::vector<std::vector<std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        rows.back().back() += text[i++];
      } else if (c == '"') {
        quoted = false;
      } else {
        rows.back().back() += c;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      if (i + 1 < text.size()) rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  return rows;
}

}  // namespace headscope::test
