# ht_embed(OUTPUT FILE...): embeds text files as C arrays in one generated source that defines the
# table ht_embedded_texts of validation/known/embedded_text.h, so that the program needs no data folder.
function(ht_embed output)
  set(text "#include \"validation/known/embedded_text.h\"\n\n")
  set(table "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "static const char ${name}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${name}\", ${name}},\n")
  endforeach()
  string(APPEND text "\nconst ht_embedded_text ht_embedded_texts[] = {\n${table}    {0, 0}};\n")
  file(GENERATE OUTPUT ${output} CONTENT "${text}")
endfunction()

# ht_embed_parts(OUTPUT PREFIX FILE...): embeds each file, followed by a 0, as `const char
# PREFIX_name_ending[]` in one generated source; PREFIX_name_ending_end[] begins with that 0. The
# assembler reads the bytes: for a large file a C array would take the compiler minutes and gigabytes.
function(ht_embed_parts output prefix)
  set(text "")
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${prefix}_${name} symbol)
    string(APPEND text "__asm__(\".section .rodata,\\\"a\\\"\\n.globl ${symbol}, ${symbol}_end\\n${symbol}:\\n\"\n"
      "        \".incbin \\\"${file}\\\"\\n${symbol}_end:\\n.byte 0\\n.previous\\n\");\n")
  endforeach()
  file(GENERATE OUTPUT ${output} CONTENT "${text}")
  set_property(SOURCE ${output} PROPERTY OBJECT_DEPENDS "${ARGN}")
endfunction()
