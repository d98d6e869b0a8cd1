// Which document is open.
#pragma once

#include <string>

namespace headscope {

struct DocumentIdentity {
  std::string title = "untitled";  // "animal-street.json"
  // The words that a demo or an example brought; "" for words that the user typed. The next demo replaces given words
  // by its own.
  std::string given_phrase = {};
  friend bool operator==(const DocumentIdentity&, const DocumentIdentity&) = default;
};

}  // namespace headscope
