#include "app/gl/driver_call.h"

#include <exception>
#include <utility>

namespace headscope {
namespace {

thread_local std::function<void()> last_words;

}  // namespace

LastWords::LastWords(std::function<void()> words) {
  last_words = std::move(words);
}

LastWords::~LastWords() {
  last_words = nullptr;
}

void end_in_driver() noexcept {
  try {
    if (last_words) std::exchange(last_words, nullptr)();
  } catch (const std::exception&) {
    // There was no memory to save either: what was saved before is there.
  }
  std::terminate();
}

}  // namespace headscope
