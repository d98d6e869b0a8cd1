#include "app/frame/keystroke_times.h"

#include <algorithm>
#include <cstddef>

#include "core/request/same_request.h"

namespace headscope {

void KeystrokeTimes::note(const Trace* shown, Time on_screen, std::vector<double>& noted) {
  constexpr std::ptrdiff_t kMostNoted = 1000;
  const auto newest = std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Edit& edit) {
    return shown != nullptr && same_request(edit.draft, shown->request);
  });
  for (auto edit = waiting_.begin(); edit != newest.base(); ++edit) {
    noted.push_back(std::chrono::duration<double, std::milli>(on_screen - edit->at).count());
  }
  waiting_.erase(waiting_.begin(), newest.base());
  if (std::ssize(noted) > kMostNoted) noted.erase(noted.begin(), noted.end() - kMostNoted);
}

}  // namespace headscope
