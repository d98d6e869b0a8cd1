// What a logit lens looks at: words that requests of pictures share with the computation.
#pragma once

namespace headscope {

enum class LensOf {
  layers,     // the stream before and after every layer
  attention,  // the stream after the attention of every layer, before its MLP
  heads,      // what each head of one layer wrote alone
};
inline constexpr const char* kLensOfNames[] = {"layers", "attention", "heads"};

}  // namespace headscope
