using System;
using static System.Math;
using Alias = System.Collections.Generic;

namespace Example.App
{
    /// <summary>
    /// A service. More.
    /// </summary>
    [Serializable]
    public partial class Service<T> : Base, IRunnable where T : class
    {
        public const int Limit = 10;
        private static readonly string hidden = "x";
        private int field;
        public event EventHandler Changed;

        /// <summary>Makes it.</summary>
        public Service(int field) { this.field = field; }
        ~Service() { }
        public string Name { get; set; }
        public int this[int i] => i;
        public static Service<T> operator +(Service<T> a, Service<T> b) => a;
        public static implicit operator bool(Service<T> a) => true;
        public async Task<int> RunAsync<U>(
            string name,
            U other) where U : struct
        {
            int Local() => 1;
            return 1;
        }
        void IRunnable.Run() { }
        private class Nested { internal void Deep() { } }
        [Fact]
        public void Works() { }
    }

    public record Person(string Name, int Age);
    public record struct Money { public int Amount { get; init; } }
    public struct Point { public int X; }
    public interface IShape { double Area(); int Sides { get; } }
    public enum Colour { Red, Green = 2 }
    public delegate void Handler(object sender);
}
