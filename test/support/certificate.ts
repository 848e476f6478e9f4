/** A self-signed certificate for `hooks.example.com`, valid until 2120; its key protects nothing. */
export const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnPT2u/VXDXrzXFeR
JHUtJBx4EoFao+4zpZOZXm8S2f6hRANCAAQS/cv8p7X6hsx7zmtWdUcuDoZqHtmM
D+I4IbnghK86x4t852g7raTlZnOQ9IuqACwo50bW6s7sL9vrM8ezIbTz
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBeDCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAQS/cv8p7X6hsx7zmtWdUcuDoZqHtmMD+I4IbnghK86x4t852g7raTlZnOQ
9IuqACwo50bW6s7sL9vrM8ezIbTzo1AwTjAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQ5scpsnfr3mZs2vMHm
UaxyWQ81ozAKBggqhkjOPQQDAgNHADBEAiAqytue2p0h0+41EJ+8OYMwXxKjVYAu
iO/AvCN/nWOWOAIgeBz0AlskzpPvK513EyOTRsqhgFETxeR9ZuyX0n+wiCM=
-----END CERTIFICATE-----`,
};
