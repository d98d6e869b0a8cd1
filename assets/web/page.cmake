# The page of ./dev web: the window linked for browsers, its scripts, and the data that it brings.
set(page "${CMAKE_CURRENT_LIST_DIR}")
set(data "${CMAKE_BINARY_DIR}/data")
set(page_scripts start zip files link input gl_state)
# What lies in the page's file system: the demos where an installed program would have them, and the fonts.
file(COPY assets/demos DESTINATION "${data}/share")
foreach(font opentype/inter/Inter-Regular.otf opentype/inter/Inter-SemiBold.otf truetype/jetbrains-mono/JetBrainsMono-Regular.ttf
             truetype/jetbrains-mono/JetBrainsMono-SemiBold.ttf)
  if(NOT EXISTS "/usr/share/fonts/${font}")
    message(FATAL_ERROR "/usr/share/fonts/${font} was not found: apt-get install fonts-inter fonts-jetbrains-mono (or ./dev web).")
  endif()
  file(COPY "/usr/share/fonts/${font}" DESTINATION "${data}/fonts")
endforeach()
set_target_properties(headscope PROPERTIES OUTPUT_NAME index SUFFIX .html)
target_link_options(headscope PRIVATE -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sALLOW_MEMORY_GROWTH=1
  -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=8388608 -sEXPORTED_RUNTIME_METHODS=FS,GL -sMINIFY_HTML=0 -lidbfs.js
  "SHELL:--shell-file ${page}/page.html" "SHELL:--preload-file ${data}/share@/headscope/share/headscope"
  "SHELL:--preload-file ${data}/fonts@/fonts")
set(page_parts "${page}/page.html")
foreach(script ${page_scripts})
  target_link_options(headscope PRIVATE "SHELL:--pre-js ${page}/${script}.js")
  list(APPEND page_parts "${page}/${script}.js")
endforeach()
set_target_properties(headscope PROPERTIES LINK_DEPENDS "${page_parts}")
