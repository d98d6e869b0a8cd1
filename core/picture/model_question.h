// What a picture asks of a whole model: which logit, which sweep, which composition. A plain value, part of ViewSpec.
#pragma once

#include <optional>
#include <string>

#include "core/circuits/composition_kind.h"
#include "core/explain/attribution_by.h"
#include "core/explain/lens_of.h"
#include "core/request/interventions.h"
#include "core/sweep/sweep_patch.h"

namespace headscope {

struct ModelQuestion {
  // attribution: "A" or "A,B", the tokens whose logit (or difference) is taken apart; "": none is named.
  std::string tokens;
  bool loss = false;                // attribution: the loss of A in place of its logit
  std::optional<AttributionBy> by;  // attribution, score; nullopt: components, of a score heads
  // sweep: what is patched, what is measured (as parse_sweep_metric() reads it; "": nothing is named), and which run is
  // patched.
  SweepPatch patch = SweepPatch::heads;
  std::string metric;
  SweepDirection direction = SweepDirection::denoise;
  std::optional<Ablation> ablation;      // in place of another run's numbers
  LensOf lens_of = LensOf::layers;       // lens
  std::optional<LayerHead> from, into;   // of SweepPatch::paths, one of both
  std::optional<CompositionKind> reads;  // composition; nullopt: key
  friend bool operator==(const ModelQuestion&, const ModelQuestion&) = default;
};

}  // namespace headscope
