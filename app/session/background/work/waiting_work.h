// Work of make_thread_executor() where there are no threads, as in a page of a browser: it waits for its turn between
// frames.
#pragma once

namespace headscope {

// Runs pieces of work that wait, on the calling thread, until none waits or `seconds` have passed; the last piece may
// take longer. True when it has run any. Where there are threads no work waits for this: false.
bool run_waiting_work(double seconds);

}  // namespace headscope
