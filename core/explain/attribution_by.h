// How far attention is taken apart in an attribution: a word that requests of pictures share with the computation.
#pragma once

namespace headscope {

// Each layer's attention as one; by heads; every head by the keys that it reads.
enum class AttributionBy { components, heads, sources };

}  // namespace headscope
