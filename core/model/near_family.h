// Models that cannot be opened: the family that they are most like, and what they compute otherwise.
#pragma once

#include <string_view>

namespace headscope {

struct NearFamily {
  std::string_view model_type;  // as config.json says it
  std::string_view nearest;     // a family of families(); "" where none is near
  std::string_view differs;     // what is not implemented, as a part of a sentence
};

// Null for a model_type that nothing is known of.
const NearFamily* near_family(std::string_view model_type);

}  // namespace headscope
