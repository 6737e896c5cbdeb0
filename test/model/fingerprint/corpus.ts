/**
 * Errors as the six runtimes of the BabelQueue SDKs (and jadpo) write them, grouped by cause: those of one list must
 * come out the same, those of two lists must not.
 */
export const CORPUS: Readonly<Record<string, readonly string[]>> = {
  // PHP
  'php: duplicate key': [
    "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '1042' for key 'orders.PRIMARY' (Connection: mysql, SQL: insert into `orders` (`id`, `total`) values (1042, 99.90))",
    "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '88123-7' for key 'orders.PRIMARY' (Connection: mysql, SQL: insert into `orders` (`id`, `total`) values (88123, 5))",
    "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry 'a-b' for key 'orders.PRIMARY' (Connection: mysql, SQL: insert into `orders` (`id`, `total`) values (7, 1000.00))",
  ],
  'php: deadlock': [
    'SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock; try restarting transaction (Connection: mysql, SQL: update `stock` set `count` = 4 where `sku` = "A-1")',
    'SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock; try restarting transaction (Connection: mysql, SQL: update `stock` set `count` = 112 where `sku` = "XL 99 blue")',
  ],
  'php: null member': [
    'Attempt to read property "email" on null in /var/www/html/app/Jobs/SendReceipt.php:42',
    'Attempt to read property "email" on null in /srv/releases/20261130140211/app/Jobs/SendReceipt.php:42',
  ],
  'php: model not found': [
    'No query results for model [App\\Models\\Order] 1042',
    'No query results for model [App\\Models\\Order] 99000123',
    'No query results for model [App\\Models\\Order] 9c858901-8a57-4791-81fe-4c455b099bc9',
  ],
  'php: another model not found': [
    'No query results for model [App\\Models\\Customer] cus_9s6XKzkNRiz8i3',
    'No query results for model [App\\Models\\Customer] cus_NffrFeUfNV2Hib',
  ],
  'php: curl timeout': [
    'cURL error 28: Operation timed out after 30001 milliseconds with 0 bytes received (see https://curl.haxx.se/libcurl/c/libcurl-errors.html) for https://api.stripe.com/v1/charges/ch_3MtwBwLkdIwHu7ix28a3tqPa',
    'cURL error 28: Operation timed out after 5000 milliseconds with 512 bytes received (see https://curl.haxx.se/libcurl/c/libcurl-errors.html) for https://api.stripe.com/v1/charges/ch_1A2b3C4d?expand=1',
  ],
  'php: curl timeout elsewhere': [
    'cURL error 28: Operation timed out after 30001 milliseconds with 0 bytes received (see https://curl.haxx.se/libcurl/c/libcurl-errors.html) for https://api.sendgrid.com/v3/mail/send',
  ],
  'php: memory': [
    'Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)',
    'Allowed memory size of 536870912 bytes exhausted (tried to allocate 1048576 bytes)',
  ],
  // Go
  'go: refused': [
    'dial tcp 10.0.3.17:5432: connect: connection refused',
    'dial tcp 10.0.12.4:5432: connect: connection refused',
    'dial tcp [::1]:5432: connect: connection refused',
    'dial tcp db-primary.internal:5432: connect: connection refused',
  ],
  'go: io timeout': [
    'read tcp 10.0.3.17:48812->10.1.0.9:6379: i/o timeout',
    'read tcp 172.16.0.5:51100->10.1.0.44:6379: i/o timeout',
  ],
  'go: deadline': [
    'Post "https://inventory.internal:8443/v2/reservations/83b1": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    'Post "https://inventory.internal:8443/v2/reservations/0aa9?retry=2": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
  ],
  'go: panic': [
    'runtime error: index out of range [5] with length 3\n\ngoroutine 88 [running]:\nmain.charge(0xc000123456, 0x5)\n\t/app/cmd/worker/main.go:42 +0x1d',
    'runtime error: index out of range [12] with length 12\n\ngoroutine 10231 [running]:\nmain.charge(0xc0000a0000, 0xc)\n\t/app/cmd/worker/main.go:42 +0x1d',
  ],
  'go: nil pointer': [
    'runtime error: invalid memory address or nil pointer dereference [signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x6f3a21]',
    'runtime error: invalid memory address or nil pointer dereference [signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4b0c10]',
  ],
  'go: wrapped': [
    'handle urn:babel:orders:created: reserve stock: sku SKU-1042-XL: out of stock (have 0, want 3)',
    'handle urn:babel:orders:created: reserve stock: sku SKU-7-M: out of stock (have 2, want 10)',
  ],
  'go: postgres': [
    'ERROR: insert or update on table "order_lines" violates foreign key constraint "order_lines_order_id_fkey" (SQLSTATE 23503)',
  ],
  // Python
  'python: key error': ["KeyError: 'customer_id'", "KeyError: 'email'"],
  'python: traceback': [
    'Traceback (most recent call last):\n  File "/app/handlers/orders.py", line 88, in handle\n    charge(order)\n  File "/app/payments.py", line 12, in charge\n    raise PaymentDeclined(f"card {card} declined for order {order.id}")\nPaymentDeclined: card 4242 declined for order 1042',
    'Traceback (most recent call last):\n  File "/usr/src/app/handlers/orders.py", line 91, in handle\n    charge(order)\n  File "/usr/src/app/payments.py", line 14, in charge\n    raise PaymentDeclined(f"card {card} declined for order {order.id}")\nPaymentDeclined: card 0005 declined for order 77',
  ],
  'python: pool': [
    "HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /v1/orders/1042 (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f3c1c0d5e50>: Failed to establish a new connection: [Errno 111] Connection refused'))",
    "HTTPSConnectionPool(host='api.example.com', port=8443): Max retries exceeded with url: /v1/orders/99?x=1 (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f00aa11bb22>: Failed to establish a new connection: [Errno 111] Connection refused'))",
  ],
  'python: decode': [
    "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    "'utf-8' codec can't decode byte 0x9c in position 1042: invalid start byte",
  ],
  'python: object': [
    'Order <Order object at 0x7f8b1c2d3e40> is not JSON serializable',
    'Order <Order object at 0x7f00deadbeef> is not JSON serializable',
  ],
  'python: boto': [
    'An error occurred (AccessDenied) when calling the PutObject operation: User: arn:aws:sts::123456789012:assumed-role/worker/i-0abc123def4567890 is not authorized',
    'An error occurred (AccessDenied) when calling the PutObject operation: User: arn:aws:sts::210987654321:assumed-role/worker/i-0fedcba9876543210 is not authorized',
  ],
  'python: boto throttled': [
    'An error occurred (ThrottlingException) when calling the PutObject operation (reached max retries: 4): Rate exceeded',
    'An error occurred (ThrottlingException) when calling the PutObject operation (reached max retries: 12): Rate exceeded',
  ],
  'python: date': [
    "time data '2026-13-01' does not match format '%Y-%m-%d'",
    "time data 'tomorrow' does not match format '%Y-%m-%d'",
  ],
  // Java
  'java: null pointer': [
    'Cannot invoke "com.acme.orders.Order.getCustomer()" because "order" is null',
    'Cannot invoke "com.acme.orders.Order.getTotal()" because "<local4>" is null',
  ],
  'java: optimistic lock': [
    'Row was updated or deleted by another transaction (or unsaved-value mapping was incorrect) : [com.acme.orders.Order#1042]',
    'Row was updated or deleted by another transaction (or unsaved-value mapping was incorrect) : [com.acme.orders.Order#5]',
  ],
  'java: identity': [
    'No serializer found for class com.acme.orders.Order@1f2e3d4a and no properties discovered',
    'No serializer found for class com.acme.orders.Order@7c30a502 and no properties discovered',
  ],
  'java: pool': [
    'HikariPool-1 - Connection is not available, request timed out after 30000ms.',
    'HikariPool-3 - Connection is not available, request timed out after 30012ms.',
  ],
  'java: stack': [
    'java.lang.IllegalStateException: Order 1042 is already shipped\n\tat com.acme.orders.ShipService.ship(ShipService.java:88)\n\tat com.acme.orders.Handler$$Lambda$123/0x0000000800c8.accept(Unknown Source)',
    'java.lang.IllegalStateException: Order 7 is already shipped\n\tat com.acme.orders.ShipService.ship(ShipService.java:91)\n\tat com.acme.orders.Handler$$Lambda$88/0x00000008013a.accept(Unknown Source)',
  ],
  'java: certificate': [
    'PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target',
  ],
  // .NET
  '.net: timeout': [
    'The operation has timed out after 00:00:30.0012345.',
    'The operation has timed out after 00:01:40.',
  ],
  '.net: http 503': ['Response status code does not indicate success: 503 (Service Unavailable).'],
  '.net: http 404': ['Response status code does not indicate success: 404 (Not Found).'],
  '.net: sql timeout': [
    'Execution Timeout Expired.  The timeout period elapsed prior to completion of the operation or the server is not responding. ClientConnectionId:8f1e2d3c-b5a6-4789-90ab-cdef01234567',
    'Execution Timeout Expired.  The timeout period elapsed prior to completion of the operation or the server is not responding. ClientConnectionId:00000000-1111-4222-8333-abcdefabcdef',
  ],
  '.net: json': [
    'The JSON value could not be converted to System.Decimal. Path: $.data.total | LineNumber: 0 | BytePositionInLine: 88.',
    'The JSON value could not be converted to System.Decimal. Path: $.data.total | LineNumber: 12 | BytePositionInLine: 7.',
  ],
  '.net: file': [
    "Could not find file 'C:\\inetpub\\invoices\\INV-1042.pdf'.",
    "Could not find file '/mnt/invoices/INV-7.pdf'.",
  ],
  // Node
  'node: undefined': [
    "Cannot read properties of undefined (reading 'total')",
    "Cannot read properties of undefined (reading 'id')",
  ],
  'node: refused': [
    'connect ECONNREFUSED 127.0.0.1:6379',
    'connect ECONNREFUSED 10.2.0.17:6379',
    'connect ECONNREFUSED ::1:6379',
  ],
  'node: dns': ['getaddrinfo ENOTFOUND payments.internal'],
  'node: axios 404': ['Request failed with status code 404'],
  'node: axios 503': ['Request failed with status code 503'],
  'node: stack': [
    'Error: charge declined for customer 55\n    at charge (/app/dist/pay.js:12:5)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    'Error: charge declined for customer 1042\n    at charge (/srv/app/dist/pay.js:14:9)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
  ],
  'node: json': ['Unexpected token < in JSON at position 0', 'Unexpected token < in JSON at position 1042'],
  'node: body of an answer': [
    'Payment refused: {"code":"card_declined","amount":9990,"request_id":"req_9f8e7d"}',
    'Payment refused: {"code":"expired_card","amount":5,"request_id":"req_1a2b3c"}',
  ],
  'node: another answer': ['Payment refused: {"status":"busy","retry_after":30}'],
  'node: mail': [
    'Mailbox unavailable: jane.doe@example.com rejected at Mon, 30 Nov 2026 14:02:11 GMT',
    'Mailbox unavailable: bob+1@mail.example.org rejected at Tue, 1 Dec 2026 09:00:00 GMT',
  ],
  // jadpo and the operators' own
  'gateway timeout': ['Payment gateway timeout'],
  'worker gone': [
    'worker orders-7f9c5d-x2k4q on node ip-10-0-3-4.ec2.internal lost its lease at 2026-11-30T14:02:11.034Z',
    'worker orders-5bd8f9-9zq1m on node ip-10-12-0-77.ec2.internal lost its lease at 2026-12-01 09:00:00',
  ],
  'missing ids': ['products 1, 2, 3 not found', 'products 17 not found', 'products 1042, 88 not found'],
};
