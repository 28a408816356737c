/* Tables as spreadsheet programs write them. */
#include "tests/check.h"
#include "app/batch/cohort/csv.h"
#include "core/formats/csv_cell.h"
#include "tests/export/expected_file.h"
#include <string.h>

static const char *write_text(const char *text) {
  const char *path = ht_test_path("table.csv");
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return path;
}

static void read_cells(void **unused) {
  ht_csv csv;
  (void)unused;
  const char *path =
      write_text("\xEF\xBB\xBFid, scan ,\"a \"\"b\"\"\"\r\n1,\"x,\ny\", \r\n\r\n,,\n2,z,3");
  assert_int_equal(ht_csv_read(path, &csv), HT_OK);
  assert_int_equal(csv.rows, 3);
  assert_int_equal(csv.columns, 3);
  assert_string_equal(ht_csv_cell(&csv, 0, 0), "id");
  assert_string_equal(ht_csv_cell(&csv, 0, 1), "scan");
  assert_string_equal(ht_csv_cell(&csv, 0, 2), "a \"b\"");
  assert_string_equal(ht_csv_cell(&csv, 1, 1), "x,\ny");
  assert_string_equal(ht_csv_cell(&csv, 1, 2), "");
  assert_string_equal(ht_csv_cell(&csv, 2, 2), "3");
  assert_int_equal(csv.line[2], 6);
  assert_int_equal(ht_csv_column(&csv, "SCAN"), 1);
  assert_int_equal(ht_csv_column(&csv, "age"), -1);
  ht_csv_free(&csv);
}

static void find_the_separator(void **unused) {
  ht_csv csv;
  (void)unused;
  assert_int_equal(ht_csv_read(write_text("id;\"a,b,c\";flow\nx;1;0,5\n"), &csv), HT_OK);
  assert_int_equal(csv.separator, ';');
  assert_string_equal(ht_csv_cell(&csv, 1, 2), "0,5");
  ht_csv_free(&csv);
  assert_int_equal(ht_csv_read(write_text("id\tflow\nx\t1\n"), &csv), HT_OK);
  assert_int_equal(csv.columns, 2);
  ht_csv_free(&csv);
}

/* Lines of old spreadsheets of the Mac end with \r alone. */
static void read_carriage_returns(void **unused) {
  ht_csv csv;
  (void)unused;
  assert_int_equal(ht_csv_read(write_text("id,flow\rx,1\r\"y,z\",2\r"), &csv), HT_OK);
  assert_int_equal(csv.rows, 3);
  assert_string_equal(ht_csv_cell(&csv, 2, 0), "y,z");
  assert_int_equal(csv.line[2], 3);
  ht_csv_free(&csv);
}

static void refuse_what_is_no_table(void **unused) {
  ht_csv csv;
  (void)unused;
  assert_int_equal(ht_csv_read(write_text(""), &csv), HT_ERR_CASE);
  assert_int_equal(ht_csv_read(write_text("a,b\n1\n"), &csv), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), ":2: 1 cells"));
  assert_int_equal(ht_csv_read(write_text("a,b\n1,\"2\n"), &csv), HT_ERR_CASE);
  assert_int_equal(ht_csv_read(write_text("PK\003\004..."), &csv), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "a workbook"));
  assert_int_equal(ht_csv_read(write_text("\xff\xfe"
                                          "i"),
                               &csv),
                   HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "UTF-16"));
  ht_test_write(ht_test_path("b.csv"), "i\0d", 3);
  assert_int_equal(ht_csv_read(ht_test_path("b.csv"), &csv), HT_ERR_CASE);
  assert_non_null(strstr(ht_error_message(), "it is not text"));
  assert_int_equal(ht_csv_read(ht_test_path("nothing.csv"), &csv), HT_ERR_NOT_FOUND);
  assert_null(csv.cell);
}

/* "Größe" and a euro sign, as a spreadsheet of Windows writes them. */
static void read_windows_1252(void **unused) {
  ht_csv csv;
  (void)unused;
  assert_int_equal(ht_csv_read(write_text("id;Gr\xf6\xdf"
                                          "e\nx;5 \x80\n"),
                               &csv),
                   HT_OK);
  assert_string_equal(ht_csv_cell(&csv, 0, 1), "Größe");
  assert_string_equal(ht_csv_cell(&csv, 1, 1), "5 €");
  ht_csv_free(&csv);
  assert_int_equal(ht_csv_read(write_text("id;Größe\nx;5\n"), &csv), HT_OK);
  assert_string_equal(ht_csv_cell(&csv, 0, 1), "Größe");
  ht_csv_free(&csv);
}

/* Reads back what is written. */
static void write_cells(void **unused) {
  static const char *const texts[] = {"plain", "a,b", "say \"x\"", "two\nlines", "semi;colon"};
  const char *path = ht_test_path("table.csv");
  ht_csv csv;
  (void)unused;
  FILE *file = fopen(path, "wb");
  fputs("c0,c1,c2,c3,c4\n", file);
  for (int i = 0; i < 5; i++) {
    if (i) fputc(',', file);
    ht_csv_put(file, texts[i]);
  }
  fclose(file);
  assert_int_equal(ht_csv_read(path, &csv), HT_OK);
  for (int i = 0; i < 5; i++) assert_string_equal(ht_csv_cell(&csv, 1, i), texts[i]);
  ht_csv_free(&csv);
}

/* Checks that a cell that a spreadsheet would take for a formula is a text; numbers stay. */
static void put_no_formulas(void **unused) {
  static const char *const texts[][2] = {
      {"=1+1", "'=1+1"}, {"@x", "'@x"},     {"+x", "'+x"},     {"-x", "'-x"},
      {"-1+2", "'-1+2"}, {"-3.5", "-3.5"},  {"-3,5", "-3,5"},  {"+1e-5", "+1e-5"},
      {"-5 %", "-5 %"},  {"-1e", "'-1e"},   {"-.5", "-.5"},    {"-1.2.3", "'-1.2.3"},
      {"-", "-"},        {"\t=1", "'\t=1"}, {"\r=1", "'\r=1"}, {"\uff1d1", "'\uff1d1"},
      {"a=b", "a=b"},    {"", ""},          {"'=1", "'=1"},    {"-5%+cmd", "'-5%+cmd"},
  };
  ht_csv csv;
  (void)unused;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *path = ht_test_path("table.csv");
    FILE *file = fopen(path, "wb");
    fputs("x,y\n1,", file);
    ht_csv_put(file, texts[i][0]);
    fclose(file);
    assert_int_equal(ht_csv_read(path, &csv), HT_OK);
    assert_string_equal(ht_csv_cell(&csv, 1, 1), texts[i][1]);
    ht_csv_free(&csv);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(read_cells),
      cmocka_unit_test(find_the_separator),
      cmocka_unit_test(read_carriage_returns),
      cmocka_unit_test(refuse_what_is_no_table),
      cmocka_unit_test(read_windows_1252),
      cmocka_unit_test(write_cells),
      cmocka_unit_test(put_no_formulas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
