# The Worker in workerd on a machine of your own, for loopback alone: nginx.conf stands before it. How to start it is in docs/worker.md.
# A setting more is a line more; what is named here has to be set, or every route answers 503.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "state", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8788", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal", "global_fetch_strictly_public"],
  durableObjectNamespaces = [
    # The key names the folder of the stored data. Keep it, even if the class gets another name.
    (className = "UserAccount", uniqueKey = "ledgers", enableSql = true),
    (className = "StreamRun", uniqueKey = "runs", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "ACCOUNTS", durableObjectNamespace = "UserAccount"),
    (name = "RUNS", durableObjectNamespace = "StreamRun"),
    (name = "RATE_LIMITS", text = "off"), # workerd has no counters: nginx counts each network, and LIVE_STREAMS and the budgets hold as ever
    (name = "ALLOWED_ORIGINS", text = "https://chat.example.com"),
    (name = "OPENAI_MODELS", text = "gpt-5-mini"),
    (name = "ANTHROPIC_MODELS", text = "claude-haiku-4-5"),
    (name = "SESSION_SECRET", fromEnvironment = "SESSION_SECRET"),
    (name = "LOGIN_SECRET", fromEnvironment = "LOGIN_SECRET"),
    (name = "OPENAI_API_KEY", fromEnvironment = "OPENAI_API_KEY"),
    (name = "ANTHROPIC_API_KEY", fromEnvironment = "ANTHROPIC_API_KEY"),
  ],
);
