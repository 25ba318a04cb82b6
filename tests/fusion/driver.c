/*
 * An ADBC driver for tests, which dbt 2.0 takes for its Spark driver. It is DuckDB's driver, but each statement goes to a
 * socket (KINDS_SOCKET) first, behind which it runs on Spark; what comes back is a query of the rows, and DuckDB runs that.
 *
 * A message is the name of the connection, a line end, and a statement; no statement says that the connection is closed.
 * An answer is '+' and a query for DuckDB, or '-' and what went wrong.
 *
 * gcc -shared -fPIC -pthread -o driver.so driver.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef uint8_t Status;
enum { OK = 0, INTERNAL = 9 };

struct Error {
  char *message;
  int32_t vendor_code;
  char sqlstate[5];
  void (*release)(struct Error *);
};

/* a database, a connection or a statement: what is behind it is known by its first field, for it may be moved */
struct Handle {
  void *private_data, *private_driver;
};

/* the table of functions of ADBC 1.0, in its order */
struct Driver {
  void *private_data, *private_manager, *release;
  void *DatabaseInit, *DatabaseNew;
  Status (*DatabaseSetOption)(struct Handle *, const char *, const char *, struct Error *);
  void *DatabaseRelease;
  void *ConnectionCommit, *ConnectionGetInfo, *ConnectionGetObjects, *ConnectionGetTableSchema, *ConnectionGetTableTypes;
  void *ConnectionInit, *ConnectionNew;
  Status (*ConnectionSetOption)(struct Handle *, const char *, const char *, struct Error *);
  void *ConnectionReadPartition;
  Status (*ConnectionRelease)(struct Handle *, struct Error *);
  void *ConnectionRollback, *StatementBind, *StatementBindStream, *StatementExecuteQuery, *StatementExecutePartitions;
  void *StatementGetParameterSchema;
  Status (*StatementNew)(struct Handle *, struct Handle *, struct Error *);
  void *StatementPrepare;
  Status (*StatementRelease)(struct Handle *, struct Error *);
  Status (*StatementSetOption)(struct Handle *, const char *, const char *, struct Error *);
  Status (*StatementSetSqlQuery)(struct Handle *, const char *, struct Error *);
};

static struct Driver duckdb;

/* whose statement a statement is */
struct Statement {
  void *statement, *connection;
  struct Statement *next;
};
static struct Statement *statements;
static pthread_mutex_t statements_lock = PTHREAD_MUTEX_INITIALIZER;

static void *connection_of(void *statement) {
  void *connection = NULL;
  pthread_mutex_lock(&statements_lock);
  for (struct Statement *known = statements; known; known = known->next)
    if (known->statement == statement) connection = known->connection;
  pthread_mutex_unlock(&statements_lock);
  return connection;
}

static void remember(void *statement, void *connection) {
  struct Statement *added = malloc(sizeof *added);
  pthread_mutex_lock(&statements_lock);
  *added = (struct Statement){statement, connection, statements};
  statements = added;
  pthread_mutex_unlock(&statements_lock);
}

static void forget(void *statement) {
  pthread_mutex_lock(&statements_lock);
  for (struct Statement **at = &statements; *at; at = &(*at)->next)
    if ((*at)->statement == statement) {
      struct Statement *gone = *at;
      *at = gone->next;
      free(gone);
      break;
    }
  pthread_mutex_unlock(&statements_lock);
}

/* What the socket answers, to be freed; NULL where it cannot be reached or says nothing. */
static char *ask(void *connection, const char *sql) {
  const char *path = getenv("KINDS_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  char *answer = NULL, name[64];
  size_t size = 0;
  if (path) strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  snprintf(name, sizeof name, "%d-%p\n", (int)getpid(), connection);
  if (connect(server, (void *)&address, sizeof address) == 0) {
    const char *parts[] = {name, sql};
    for (int part = 0; part < 2; part++)
      for (size_t length = strlen(parts[part]), at = 0; at < length;) {
        ssize_t sent = send(server, parts[part] + at, length - at, MSG_NOSIGNAL);
        if (sent <= 0) break;
        at += sent;
      }
    shutdown(server, SHUT_WR);
    char buffer[65536];
    for (ssize_t got; (got = read(server, buffer, sizeof buffer)) > 0;) {
      answer = realloc(answer, size + got + 1);
      memcpy(answer + size, buffer, got);
      answer[size += got] = 0;
    }
  }
  close(server);
  return answer;
}

static void release_error(struct Error *error) {
  free(error->message);
  error->message = NULL;
  error->release = NULL;
}

static Status failed(struct Error *error, const char *message) {
  if (error) {
    error->message = strdup(message);
    error->release = release_error;
    memcpy(error->sqlstate, "HY000", sizeof error->sqlstate);
  }
  return INTERNAL;
}

static Status statement_new(struct Handle *connection, struct Handle *statement, struct Error *error) {
  Status status = duckdb.StatementNew(connection, statement, error);
  if (status == OK) remember(statement->private_data, connection->private_data);
  return status;
}

static Status statement_release(struct Handle *statement, struct Error *error) {
  forget(statement->private_data);
  return duckdb.StatementRelease(statement, error);
}

static Status set_sql_query(struct Handle *statement, const char *sql, struct Error *error) {
  char *answer = ask(connection_of(statement->private_data), sql);
  Status status = answer && *answer == '+' ? duckdb.StatementSetSqlQuery(statement, answer + 1, error)
                                           : failed(error, answer ? answer + 1 : "nobody answers at KINDS_SOCKET");
  free(answer);
  return status;
}

static Status connection_release(struct Handle *connection, struct Error *error) {
  free(ask(connection->private_data, ""));
  return duckdb.ConnectionRelease(connection, error);
}

/* hosts, users and catalogs are no options of DuckDB */
static Status ignore_option(struct Handle *handle, const char *name, const char *value, struct Error *error) {
  return OK;
}

__attribute__((visibility("default"))) Status AdbcDriverInit(int version, void *given, struct Error *error) {
  void *library = dlopen(getenv("KINDS_DUCKDB"), RTLD_NOW | RTLD_LOCAL);
  if (!library) return failed(error, dlerror());
  Status (*init)(int, void *, struct Error *) = dlsym(library, "duckdb_adbc_init");
  Status status = init(version, given, error);
  if (status != OK) return status;
  struct Driver *driver = given;
  duckdb = *driver;
  driver->StatementNew = statement_new;
  driver->StatementRelease = statement_release;
  driver->StatementSetSqlQuery = set_sql_query;
  driver->StatementSetOption = ignore_option;
  driver->ConnectionRelease = connection_release;
  driver->ConnectionSetOption = ignore_option;
  driver->DatabaseSetOption = ignore_option;
  return OK;
}
