#include "core/attention/dependencies.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"
#include "core/request/rows_apart.h"

namespace headscope {
namespace {

bool differs(const StageMaking& step, const Request& before, const Request& now) {
  const bool option = std::any_of(step.options.begin(), step.options.end(), [&](std::string_view name) {
    const RequestOption* known = find_request_option(name);
    HEADSCOPE_ASSERT(known != nullptr, std::string(name));
    return known->get(before) != known->get(now);
  });
  const bool mistake = std::any_of(step.variants.begin(), step.variants.end(), [&](Variant variant) {
    return has_variant(before, variant) != has_variant(now, variant);
  });
  return option || mistake;
}

// What changes this one stage: compared as it is typed, where 0 is not -0.
bool interventions_differ(StageId stage, const Request& before, const Request& now) {
  bool differ = false;
  for_each_kind([&](const auto& kind) {
    if (kind.changes != stage) return;
    differ = differ || terms_text(kind, before.*kind.field) != terms_text(kind, now.*kind.field);
  });
  return differ;
}

// Edits of the stage itself; those of weights change its sources.
bool edits_differ(StageId stage, const Request& before, const Request& now) {
  if (before.edits.empty() && now.edits.empty()) return false;
  const auto own = [stage](const Request& request) {
    std::vector<NumberEdit> edits;
    for (const NumberEdit& edit : request.edits) {
      if (edit.on && edit.tensor == stage_name(stage)) edits.push_back(edit);
    }
    return edits;
  };
  return own(before) != own(now);
}

bool patches_differ(StageId stage, const Request& before, const Request& now) {
  const auto own = [stage](const Request& request) {
    std::vector<PatchedStage> patches;
    for (const PatchedStage& patch : request.patches) {
      if (patch.on && patch.stage == stage_name(stage)) patches.push_back(patch);
    }
    return patches;
  };
  if (before.patches.empty() && now.patches.empty()) return false;
  return own(before) != own(now) || (!own(now).empty() && before.patch_from != now.patch_from);
}

}  // namespace

std::vector<StageId> changed_stages(const Request& before, const Request& now, const std::vector<Source>& changed,
                                    const std::vector<StageId>& also) {
  std::vector<StageId> result;
  const bool anything = differ_unsaid(before, now);
  const auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  // Before the scale the mask's work shows in `scores` already.
  const bool early_mask = before.mask_order == MaskOrder::before_scale || now.mask_order == MaskOrder::before_scale;
  // A cap after the mask caps what the mask adds.
  const bool late_cap =
      before.softcap_order == SoftcapOrder::after_mask || now.softcap_order == SoftcapOrder::after_mask;
  for (const StageInfo& stage : stage_infos()) {
    bool dirty = anything || differs(stage.made, before, now) || interventions_differ(stage.id, before, now) ||
                 edits_differ(stage.id, before, now) || patches_differ(stage.id, before, now) || has(also, stage.id);
    for (Source source : stage.made.sources) dirty = dirty || has(changed, source);
    for (const std::vector<StageId>& alternatives : stage.made.from) {
      for (StageId from : alternatives) dirty = dirty || has(result, from);
    }
    if (stage.id == StageId::scores && early_mask) {
      dirty = dirty || has(changed, Source::mask) || before.mask_fill != now.mask_fill ||
              has_variant(before, Variant::mask_after_softmax) != has_variant(now, Variant::mask_after_softmax);
    }
    if (stage.id == StageId::capped_scores && late_cap) dirty = dirty || has(changed, Source::mask);
    if (dirty) result.push_back(stage.id);
  }
  return result;
}

}  // namespace headscope
