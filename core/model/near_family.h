// Models that cannot be opened: the family that they are most like, and what they compute otherwise.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

struct NearFamily {
  std::string_view model_type;  // as config.json says it
  std::string_view nearest;     // a family of families(); "" where none is near
  std::string_view differs;     // what is not implemented, as a part of a sentence
};

std::span<const NearFamily> near_families();

// Null for a model_type that nothing is known of.
const NearFamily* near_family(std::string_view model_type);

// A family whose models have these keys, and few others do: of config.json, or of a GGUF file's metadata without the
// architecture's name.
struct FamilyGuess {
  std::string_view family;
  std::array<std::string_view, 2> keys;
};
std::span<const FamilyGuess> family_guesses();

// A key that tells of arithmetic that is not here, as a part of a sentence, whatever the model is called.
struct FamilyTrait {
  std::string_view key;
  std::string_view differs;
};
std::span<const FamilyTrait> family_traits();

// What a refusal says behind a model_type, from its comma on: the nearest family and what differs; of a type that
// nothing is known of, the family that its keys hint at, called a guess, and what they say of its arithmetic; "" where
// nothing can be said. `has` says
// whether the configuration has a key.
std::string nearest_sentence(std::string_view model_type, const std::function<bool(std::string_view)>& has);

}  // namespace headscope
