// headscope: the window. Everything it wires together lies in app/frame.
#include <chrono>
#include <exception>
#include <new>
#include <string>

#include "app/frame/memory_recovery.h"
#include "app/frame/options.h"
#include "app/frame/report_command.h"
#include "app/frame/screenshot.h"
#include "app/frame/window_loop.h"
#include "app/memory/allocation_guard.h"
#include "app/memory/end_without_memory.h"
#include "app/memory/returned_memory.h"
#include "app/platform/end_signals.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/base/standard_streams.h"
#include "core/base/version.h"

namespace {

using namespace headscope;

void say(const std::string& text) {
  if (const int failure = say_on_standard_output(text); failure != 0) throw no_standard_output(failure);
}

int failed(int code, const std::exception& error) {
  say_on_standard_error(std::string("error: ") + error.what() + "\n");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const auto started = std::chrono::steady_clock::now();
  open_standard_streams();
  return_large_blocks();
  keep_memory_reserve(kWindowReserve);
  end_politely_without_memory("error: ");
  try {
    const Options options = parse_options(argc, argv);
    if (options.help) {
      say(help_text());
    } else if (options.version) {
      say(std::string("headscope ") + kVersion + "\n");
    } else if (!options.screenshot.empty()) {
      draw_screenshot(options);
      say(options.screenshot + "\n");
    } else {
      report_crashes();
      hold_end_signals();
      run_window(options, started);
    }
    return 0;
  } catch (const UsageError& error) {
    return failed(2, error);
  } catch (const std::bad_alloc&) {
    say_memory_is_missing();
    return 3;
  } catch (const Error& error) {
    return failed(3, error);
  } catch (const std::exception& error) {
    // A library that had no memory may have said something else.
    if (failed_allocations() > 0) {
      say_memory_is_missing();
      return 3;
    }
    return failed(1, error);
  }
}
