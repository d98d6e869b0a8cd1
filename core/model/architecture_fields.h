// The settings of an Architecture that tensors do not tell, by the names that a headscope-map.json gives them: a row
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/config_reader.h"

namespace headscope {

struct ArchitectureField {
  // A setting of a few words: "layer", "rms", in the order of its enumeration.
  struct Choice {
    std::vector<const char*> words;
    void (*set)(Architecture& architecture, std::size_t word);
    std::size_t (*get)(const Architecture& architecture);
  };
  // A setting of two cases, as a truth.
  struct Truth {
    void (*set)(Architecture& architecture, bool truth);
  };
  // A whole number that the Architecture keeps in another way.
  struct Count {
    void (*set)(Architecture& architecture, std::int64_t count);
    std::optional<std::int64_t> (*get)(const Architecture& architecture);  // nullopt where it has none
  };
  using Place =
      std::variant<std::int64_t Architecture::*, std::optional<std::int64_t> Architecture::*, double Architecture::*,
                   std::optional<double> Architecture::*, bool Architecture::*, Choice, Truth, Count>;
  const char* key;
  Place place;
  bool needed = false;                   // a map must say it
  std::vector<const char*> config_keys;  // under which config.json of other models says it, the best first
  const char* about = "";
};

std::span<const ArchitectureField> architecture_fields();

// Sets the field from the object of `reader`, where it has the key. Problems go to the reader: a missing one that is
// needed, a value of another type, a word that is none of the choice's.
void read_field(const ArchitectureField& field, ConfigReader& reader, Architecture& architecture);

// The field's value as JSON text, as a map has it; "" where it is what an Architecture has that says nothing.
std::string field_json(const ArchitectureField& field, const Architecture& architecture);

// How a map spells a word of some config.json ("gelu_new" is gelu_tanh); others stay as they are.
std::string map_word(const std::string& config_word);

}  // namespace headscope
