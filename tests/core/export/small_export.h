// What the tests of exports write: a small causal request whose tokens need quoting, and where it goes.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

inline ExportPlan plan_of(const std::string& folder, ExportFormat format, std::vector<StageId> stages = {}) {
  ExportPlan plan;
  plan.folder = folder;
  plan.format = format;
  plan.stages = std::move(stages);
  return plan;
}

}  // namespace headscope::test
